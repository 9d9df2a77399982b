/** For titles: "cat reads counter while sh writes it". */
import type { Operation } from '../model/operation.ts';

const VERBS: Readonly<Record<string, string>> = {
  'load contents': 'reads',
  'store contents': 'writes',
  'store end': 'appends to',
  'load entry': 'looks up',
  'load listing': 'lists',
  'store listing': 'adds to or removes from',
  'load attributes': 'inspects',
  'store attributes': 'changes the attributes of',
  'load size': 'looks at the size or time of',
  'store size': 'writes',
  'store position': 'moves the position of',
  'store sent': 'writes to',
  'store taken': 'reads from',
  'load command': 'reads what is run by',
  'store command': 'starts a program in',
  'load life': 'looks for',
  'load parent': 'asks for the parent of',
  'store parent': 'orphans',
  'load credentials': 'checks the credentials of',
  'store credentials': 'changes the credentials of',
  'load group': 'asks for the group of',
  'store group': 'changes the group of',
  'load setting': 'looks up',
  'store setting': 'changes',
};

/** "looks it up", "appends to it". */
export const toIt = (verb: string): string => (verb === 'looks up' ? 'looks it up' : `${verb} it`);

/** `what` is the name of the system call, or the kind of step. */
export function verbOf({ op, part, seamless }: Operation, what: string): string {
  if (op === 'store' && part === 'entry') {
    if (seamless) return 'replaces';
    if (/^rename/.test(what)) return 'renames';
    return /^(unlink|rmdir|mq_unlink)/.test(what) ? 'removes' : 'creates';
  }
  // The same calls, and for the same reason, as those that meet in the contents.
  if (part === 'position' && /^(read|write)/.test(what)) {
    return what.startsWith('read') ? 'reads' : 'writes';
  }
  if (op === 'store' && part === 'life') return lifeVerb(what);
  if (part === 'listing' && what === 'start') return 'adds a process to';
  if (part === 'listing' && /^wait/.test(what)) return 'removes a process from';
  return VERBS[`${op} ${part}`] ?? `${op}s`;
}

function lifeVerb(what: string): string {
  if (what === 'exit') return 'ends';
  if (what === 'listen') return 'begins to listen for';
  return /^wait/.test(what) ? 'collects' : 'removes';
}
