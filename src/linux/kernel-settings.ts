/** The kernel's settings, to explain why something failed: never to decide whether it would. */
import { readFileSync } from 'node:fs';
import { tryTo } from '../base/result.ts';

/** `setting('kernel.perf_event_paranoid')`; `undefined` where this kernel has none of that name. */
export function setting(name: string): number | undefined {
  const path = `/proc/sys/${name.replaceAll('.', '/')}`;
  const text = tryTo(() => readFileSync(path, 'utf8').trim());
  return text.ok && text.value !== '' ? Number(text.value) : undefined;
}

/** The value found, the value needed and the command that sets it. */
export function settingRemedy(name: string, needed: string, value: number): string {
  return `${name} is ${setting(name)}, needs ${needed}: \`sudo sysctl ${name}=${value}\``;
}

/** Capabilities deadheat can make use of. Source: <linux/capability.h>. */
const CAPABILITIES = {
  CAP_SYS_PTRACE: 19,
  CAP_SYS_ADMIN: 21,
  CAP_PERFMON: 38,
  CAP_BPF: 39,
} as const;
type Capability = keyof typeof CAPABILITIES;

export function effectiveCapabilities(): Capability[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const bits = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const names = Object.keys(CAPABILITIES) as Capability[];
  return names.filter((name) => (bits >> BigInt(CAPABILITIES[name])) & 1n);
}

/** The initial namespace's map, user_namespaces(7): every id stands for itself. */
const ALL_USERS = '0 0 4294967295';

/** Whether our capabilities count for less than they say: root of a rootless container has them all. */
export function isInUserNamespace(): boolean {
  return readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).join(' ') !== ALL_USERS;
}

/** How somebody who is not root, or is root in a container, gets `capabilities`. */
export function capabilityRemedy(...capabilities: Capability[]): string {
  if (isInUserNamespace()) {
    return `not possible from inside a user namespace (such as a rootless container's): run deadheat outside it, with ${capabilities.join(' and ')}`;
  }
  if (process.getuid?.() === 0) {
    const options = capabilities.map((name) => `--cap-add ${name.replace('CAP_', '')}`);
    return `root without ${capabilities.join(' and ')}: start the container with \`${options.join(' ')}\``;
  }
  const list = capabilities.map((name) => name.toLowerCase()).join(',');
  return (
    'run deadheat as root, or give this node the capabilities ' +
    `(for everybody who runs it): \`sudo setcap ${list}+ep ${process.execPath}\``
  );
}
