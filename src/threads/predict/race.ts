/**
 * What prediction finds. Two accesses to one variable by different threads race if at least one of them
 * stores, not both are atomic, and some order that the program allows brings them next to each other.
 *
 *   variable  y
 *   first     event 0  T1  write  account.c:12
 *   second    event 7  T2  write  account.c:31
 *   rung      sync-preserving          occurrences  3
 *
 * All pairs on one variable at the same two sites are one race: `first` and `second` are the pair that was
 * found first, in the order of the trace, and `occurrences` counts the pairs that the rung looked at and
 * found racing, which need not be all there are.
 */

/** The steps of the ladder, cheapest first. */
export const RUNGS = ['happens-before', 'sync-preserving', 'search'] as const;
export type Rung = (typeof RUNGS)[number];

export interface Access {
  /** Its number in the trace, from 0. */
  readonly event: number;
  readonly thread: number;
  readonly op: number;
  readonly site: number;
}

export interface AccessPair {
  readonly variable: number;
  readonly first: Access;
  readonly second: Access;
}

export interface FoundPair extends AccessPair {
  readonly occurrences: number;
}

export interface Race extends FoundPair {
  readonly rung: Rung;
}
