/**
 * The common currency of all system calls: loads and stores of named parts of the kernel's objects,
 * as in section 5.2 of the RacePro paper. What changes independently is a part of its own:
 *
 *   entry       whether a name exists and what it refers to     mkdir stores, open loads
 *   listing     the names in a directory                        creating a file stores its parent's
 *   contents    the bytes of a file, by range                   write stores, read loads
 *   end         where the next appended byte goes               write stores
 *   size        length and times                                write stores, stat loads
 *   attributes  mode, owner, extended attributes                chmod stores, stat loads
 *   position    of an open file that processes share            read and write store
 *   sent        what goes into a stream, in which order         write stores
 *   taken       what comes out of a stream, to whom             read stores
 *   command     what a process runs, as /proc tells it          execve stores
 *   life        whether a process lives                         exit and wait store, kill loads
 *   parent      of a process                                    its parent's exit stores, getppid loads
 *   credentials of a process                                    setuid stores, kill loads
 *   group       of a process, or its members                    setpgid stores, getpgid loads
 *   setting     of the whole system                             sethostname stores, uname loads
 */
export const PARTS = [
  'entry',
  'listing',
  'contents',
  'end',
  'size',
  'attributes',
  'position',
  'sent',
  'taken',
  'command',
  'life',
  'parent',
  'credentials',
  'group',
  'setting',
] as const;

export type Part = (typeof PARTS)[number];

/** Bytes from the first up to, not including, the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: Range = { from: 0, to: Number.POSITIVE_INFINITY };

/** What an operation is about: `key` tells objects apart, `name` is for people. */
export interface Thing {
  readonly key: string;
  readonly name: string;
}

export interface Operation {
  readonly op: 'load' | 'store';
  readonly part: Part;
  readonly thing: Thing;
  /** Of contents; without one, all of it is meant. */
  readonly range?: Range | undefined;
  /**
   * Whoever comes first, two of these have the same outcome: two programs that open a log with
   * O_CREAT, or empty a file, or each add a name of their own to a directory.
   */
  readonly commutes?: true;
  /** A store that those who only look cannot be hurt by: they find the old or the new, both whole. */
  readonly seamless?: true;
  /** A load by somebody who is going to change what is there, and so is not one who only looks. */
  readonly toWrite?: true;
}

// There are millions of them: all with the same properties, in the same order.
export const load = (part: Part, thing: Thing, range?: Range): Operation => ({
  op: 'load',
  part,
  thing,
  range,
});
export const store = (part: Part, thing: Thing, range?: Range): Operation => ({
  op: 'store',
  part,
  thing,
  range,
});
/** A name is looked up by somebody who is going to change what it leads to. */
export const lookUpToWrite = (name: string): Operation => ({
  ...load('entry', named(name)),
  toWrite: true,
});
export const commuting = ({ op, part, thing, range, toWrite }: Operation): Operation =>
  toWrite
    ? { op, part, thing, range, commutes: true, toWrite }
    : { op, part, thing, range, commutes: true };

/** A thing that is told from others by its name, such as a path. */
export const named = (name: string): Thing => ({ key: name, name });

/** Whether the order of two operations on the same part of the same thing can matter, ranges aside. */
export function conflict(a: Operation, b: Operation): boolean {
  if (a.commutes && b.commutes) return false;
  if (a.op === 'load') return b.op === 'store' && !(b.seamless && !a.toWrite);
  return b.op === 'store' || !(a.seamless && !b.toWrite);
}

export function overlap(a: Range | undefined, b: Range | undefined): boolean {
  return !a || !b || (a.from < b.to && b.from < a.to);
}
