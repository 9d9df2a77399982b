/** A recorded call as people write it: `openat("counter", O_WRONLY|O_CREAT) = ENOENT`. */
import { relative } from 'node:path';
import { errnoName } from '../../linux/errno.ts';
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { openFlags, showOpenFlags } from '../model/open-flags.ts';
import type { CallEvent } from './timeline.ts';

export function describeCall({ call, name: first, name2 }: CallEvent, folder: string): string {
  const name = syscallName(call.number);
  const paths = [first, name2].filter((path) => path !== undefined);
  const shown = paths.map((path) => JSON.stringify(shownPath(path, folder)));
  // openat2 keeps its flags in memory that is not recorded.
  const flags = /^(open|openat|creat)$/.test(name) ? [showOpenFlags(openFlags(call))] : [];
  const failed = call.result < 0 ? ` = ${errnoName(-call.result)}` : '';
  return `${name}(${[...shown, ...flags].join(', ')})${failed}`;
}

/** Relative to the folder the command ran in, if it is inside. */
export function shownPath(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside === '' ? '.' : inside.startsWith('..') ? path : inside;
}

/** For titles: "cat reads counter while sh writes it". */
const VERBS: Readonly<Record<string, string>> = {
  'load contents': 'reads',
  'store contents': 'writes',
  'load entry': 'looks up',
  'store entry': 'creates or removes',
  'load listing': 'lists',
  'store listing': 'adds to or removes from',
  'load metadata': 'inspects',
  'store metadata': 'changes the mode of',
};

export function verb(op: 'load' | 'store', part: string, call: CallRecord): string {
  if (op === 'store' && part === 'entry') return entryVerb(syscallName(call.number));
  return VERBS[`${op} ${part}`] ?? `${op}s`;
}

function entryVerb(name: string): string {
  if (/^rename/.test(name)) return 'renames';
  if (/^(unlink|rmdir)/.test(name)) return 'removes';
  return 'creates';
}
