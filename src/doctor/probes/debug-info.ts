/**
 * Debug information, which turns addresses into file and line. The C library serves as the example:
 * its build-id is read from the file, and looked for where debuggers look.
 */
import { existsSync, readFileSync } from 'node:fs';
import { tryTo } from '../../base/result.ts';
import { readBuildId } from '../elf-build-id.ts';
import { limited, missing, type Probe, works } from '../probe.ts';

const INSTALL = 'install it: `sudo apt-get install libc6-dbg`';

export const debugInfoProbe: Probe = {
  name: 'debug info',
  usedBy: 'source lines in reports',
  needed:
    'debug information of libraries: in separate files, from a debuginfod server, or built in',
  async run(signal) {
    const library = ownLibc();
    if (library === undefined) return missing('this process has no libc.so.6 mapped', INSTALL);
    const { buildId, hasDebugInfo } = readBuildId(library);
    if (hasDebugInfo) return works(`${library} has its own`);
    if (buildId === undefined) return limited(`${library} has no build-id`, INSTALL);
    const separate = `/usr/lib/debug/.build-id/${buildId.slice(0, 2)}/${buildId.slice(2)}.debug`;
    if (existsSync(separate)) return works(`${library}: ${separate}`);
    return askServers(library, buildId, signal);
  },
};

/** The file itself, not a symbolic link to it, from what the loader mapped. */
export function ownLibc(): string | undefined {
  const maps = readFileSync('/proc/self/maps', 'utf8');
  return /\s(\/\S*\/libc(?:\.so\.6|-[\d.]+\.so))$/m.exec(maps)?.[1];
}

async function askServers(library: string, buildId: string, signal: AbortSignal) {
  const servers = (process.env.DEBUGINFOD_URLS ?? '').split(/\s+/).filter((url) => url !== '');
  if (servers.length === 0) {
    const found = `${library} (build-id ${buildId}): no file of its own, and DEBUGINFOD_URLS is not set`;
    const server = '`export DEBUGINFOD_URLS=https://debuginfod.debian.net`';
    return limited(found, `${INSTALL}, or name a server: ${server}`);
  }
  const complaints: string[] = [];
  for (const server of servers) {
    const url = `${server.replace(/\/$/, '')}/buildid/${buildId}/debuginfo`;
    const answer = await fetchHead(url, signal);
    if (answer === 200) return works(`${library}: ${server} has it`);
    complaints.push(`${server} says ${answer}`);
  }
  return limited(`${library} (build-id ${buildId}): ${complaints.join('; ')}`, INSTALL);
}

async function fetchHead(url: string, signal: AbortSignal): Promise<number | string> {
  const valid = tryTo(() => new URL(url));
  if (!valid.ok) return 'nothing: not a valid address';
  return fetch(url, { method: 'HEAD', signal }).then(
    (response) => response.status,
    (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
  );
}
