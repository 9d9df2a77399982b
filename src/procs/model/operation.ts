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
  /**
   * Whoever comes first, two of these have the same outcome: two programs that open a log with
   * O_CREAT, or empty a file, or each add a name of their own to a directory.
   */
  readonly commutes?: true;
}

export const load = (part: Part, path: string): Operation => ({ op: 'load', part, path });
export const store = (part: Part, path: string): Operation => ({ op: 'store', part, path });
export const commuting = (operation: Operation): Operation => ({ ...operation, commutes: true });

/** Whether the order of two operations on the same part of the same path can matter. */
export function conflict(a: Operation, b: Operation): boolean {
  if (a.op === 'load' && b.op === 'load') return false;
  return !(a.commutes && b.commutes);
}
