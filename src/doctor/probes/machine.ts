/** Which machine and who we are: for bug reports, and to say what root would add. */
import { availableParallelism, release } from 'node:os';
import { effectiveCapabilities, isInUserNamespace } from '../../linux/kernel-settings.ts';
import { missing, type Probe, works } from '../probe.ts';

/** As package.json's `engines` has it. */
const OLDEST_NODE = [20, 19] as const;

export const machineProbe: Probe = {
  name: 'machine',
  usedBy: 'everything',
  needed: `Linux on x86-64, Node.js ${OLDEST_NODE.join('.')} or newer`,
  essential: true,
  run() {
    const found = [
      `Linux ${release()}, ${process.arch}, ${availableParallelism()} CPUs`,
      `Node.js ${process.version}`,
      whoAmI(),
    ].join('; ');
    if (process.platform !== 'linux' || process.arch !== 'x64') {
      return missing(found, 'run deadheat on an x86-64 Linux machine');
    }
    if (!isRecentEnough(process.versions.node)) {
      return missing(
        found,
        `install Node.js ${OLDEST_NODE.join('.')} or newer: https://nodejs.org`,
      );
    }
    return works(found);
  },
};

export function isRecentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function whoAmI(): string {
  const held = effectiveCapabilities();
  const list = held.length > 0 ? held.join(' ') : 'no capabilities';
  const user = `user id ${process.getuid?.()} with ${list}`;
  if (isInUserNamespace()) return `${user}, but only inside a user namespace`;
  if (held.includes('CAP_SYS_ADMIN')) return user;
  return `${user} (root would add recording by eBPF and tracing other users’ processes)`;
}
