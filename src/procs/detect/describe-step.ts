/** A step as people write it: `openat("counter", O_WRONLY|O_CREAT) = ENOENT`, `exit(1)`. */
import { relative } from 'node:path';
import { unreachable } from '../../base/assert.ts';
import { errnoName } from '../../linux/errno.ts';
import { signalName } from '../../linux/signals.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { openFlags, showOpenFlags } from '../model/open-flags.ts';
import type { Step } from './step.ts';

export function describeStep(step: Step, folder: string): string {
  const { record } = step;
  switch (record.kind) {
    case 'call':
      return describeCall(record, step, folder);
    case 'start':
      return `${record.how === 'vfork' ? 'vfork' : 'fork'}() = ${record.ownPid ?? record.pid}`;
    case 'signal':
      return `${signalName(record.signal)} arrives`;
    case 'exit':
      return describeExit(record.status);
  }
  return unreachable(record, 'record');
}

function describeCall(call: CallRecord, { name: first, name2 }: Step, folder: string): string {
  const name = syscallName(call.number);
  const paths = [first, name2].filter((path) => path !== undefined);
  const shown = paths.map((path) => JSON.stringify(shownPath(path, folder)));
  const flags = /^(open|openat2?|creat)$/.test(name) ? [showOpenFlags(openFlags(call))] : [];
  const result = call.result < 0 ? ` = ${errnoName(-call.result)}` : outcome(name, call);
  return `${name}(${[...shown, ...flags, ...plainArguments(name, call)].join(', ')})${result}`;
}

/** Arguments that say something by themselves. */
function plainArguments(name: string, { args }: CallRecord): string[] {
  const [first = 0, second = 0, third = 0] = args.map((arg) => arg | 0);
  switch (name) {
    case 'kill':
    case 'tkill':
    case 'rt_sigqueueinfo':
      return [String(first), signalName(second)];
    case 'tgkill':
    case 'rt_tgsigqueueinfo':
      return [String(second), signalName(third)];
    case 'rt_sigaction':
      return [signalName(first)];
    case 'wait4':
      return [String(first)];
  }
  return [];
}

const outcome = (name: string, { result }: CallRecord): string =>
  /^(wait4|getppid)$/.test(name) ? ` = ${result}` : '';

function describeExit(status: number): string {
  const ended = parseWaitStatus(status);
  return ended.kind === 'killed' ? `dies of ${signalName(ended.signal)}` : `exit(${status >> 8})`;
}

/** Relative to the folder the command ran in, if it is inside. */
export function shownPath(path: string, folder: string): string {
  if (!path.startsWith('/')) return path;
  const inside = relative(folder, path);
  return inside === '' ? '.' : /^\.\.(\/|$)/.test(inside) ? path : inside;
}
