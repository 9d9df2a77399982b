/**
 * The common currency of all system calls: loads and stores of named parts of the file system, as
 * in the RacePro paper. A path has four parts that change independently:
 *
 *   entry     whether the name exists and what it refers to   mkdir stores, stat loads
 *   contents  the bytes of the file                           write stores, read loads
 *   listing   the names in a directory                        creating a file stores its parent's
 *   metadata  mode and owner                                  chmod stores, stat loads
 */
export type Part = 'entry' | 'contents' | 'listing' | 'metadata';

export interface Operation {
  readonly op: 'load' | 'store';
  readonly part: Part;
  /** Absolute. */
  readonly path: string;
}

export const load = (part: Part, path: string): Operation => ({ op: 'load', part, path });
export const store = (part: Part, path: string): Operation => ({ op: 'store', part, path });

/**
 * Whether the order of two operations on the same part of the same path can matter. Two changes of
 * a listing are changes of different names (of the same name, their entries conflict already).
 */
export function conflict(a: Operation, b: Operation): boolean {
  if (a.op === 'load' && b.op === 'load') return false;
  return a.part !== 'listing' || a.op !== b.op;
}
