/**
 * What the search for a race is asked, and what it answers. `search-race.ts` has the search itself.
 *
 *   T1  1 w(y)  2 acq(m)  3 rel(m)           asked for events 1 and 6:
 *   T2  4 acq(m)  5 rel(m)  6 w(y)           { kind: 'race', witness: { order: [4, 5], racing: [1, 6] } }
 */

/** The place of an event in its trace, from 0. */
export type EventNumber = number;

/** Any two accesses of two threads to a variable, at least one of them a store, not both atomic. */
export interface AccessesOf {
  readonly variable: number;
  readonly threads: readonly [number, number];
}

/** Only events [from, to) are put in another order; those before are as recorded, those after do not happen. */
export interface Window {
  readonly from: EventNumber;
  readonly to: EventNumber;
}

export interface RaceSearchOptions {
  /** Every read before the race has to find the same write as in the trace (docs/prediction.md). */
  readonly sound: boolean;
  /** After so many states the answer is `undecided`; or earlier, if these take too much memory. */
  readonly mostStates: number;
  /** Asked now and then; if it is true, the answer is `undecided`, too. */
  readonly isOver?: (() => boolean) | undefined;
  /** The whole trace, if there is none. */
  readonly window?: Window;
}

/** How to get to the race. */
export interface Witness {
  /** Events before this one are as recorded, and in the recorded order; 0 without a window. */
  readonly recordedUntil: EventNumber;
  /** Then these synchronisation events, one after the other, and no others. */
  readonly order: readonly EventNumber[];
  /** Both threads then stand before these, of the first and the second thread that were asked for. */
  readonly racing: readonly [EventNumber, EventNumber];
  /** Whether no shorter order leads there; if the states ran out meanwhile, nobody knows. */
  readonly isShortest: boolean;
}

export type RaceSearchResult =
  | { readonly kind: 'race'; readonly witness: Witness; readonly states: number }
  | { readonly kind: 'none'; readonly states: number }
  | { readonly kind: 'undecided'; readonly states: number };
