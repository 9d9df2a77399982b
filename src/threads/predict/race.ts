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

export interface Race<Witness> extends FoundPair {
  readonly rung: Rung;
  /**
   * Whether a correct order of the same events, with the same values read, is known to bring such a pair
   * together. A race by happens-before after the first may be a mere consequence of that; and what a search
   * finds is as certain as the search.
   */
  readonly isCertain: boolean;
  /** How to get there, as the search has it. */
  readonly witness?: Witness;
}
