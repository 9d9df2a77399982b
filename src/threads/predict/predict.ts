/**
 * Predicts races from one trace, as cheaply as each can be had. A ladder:
 *
 *   happens-before    what nothing orders in the trace as it is
 *   sync-preserving   what another order brings together in which each lock is taken by the same threads,
 *                     one after the other
 *   search            what some other order brings together, for the candidates that are left, as long as
 *                     there is something left to spend
 *
 * A race is told on the first rung that finds it. A candidate that no rung decides is undecided, and never
 * a race. All but the search is done in one walk over the trace (and a look at its barriers before that),
 * so a trace in a file need not be in memory.
 */
import type { ThreadTraceSource } from '../model/trace.ts';
import { type Candidate, Candidates } from './candidates/candidates.ts';
import type { FoldedPairs } from './folded-pairs.ts';
import { HappensBeforeRung } from './happens-before.ts';
import type { AccessPair, Race } from './race.ts';
import { type SearchOptions, searchCandidates } from './search-rung.ts';
import { SyncPreservingRung } from './sync-preserving/rung.ts';

export interface Prediction<Witness> {
  /** In the order of the rungs, and on each in the order in which they were found. */
  readonly races: readonly Race<Witness>[];
  /** Of which nobody knows. */
  readonly undecided: readonly Candidate[];
  /** How many candidates the search found not to race, in the pairs of them that it looked at. */
  readonly cleared: number;
  /** On how many variables not all was looked at, since there was too much of it (candidates.ts). */
  readonly crowdedVariables: number;
  /** Racing pairs that are in no race, since their variable had too many pairs of sites. */
  readonly unfolded: number;
}

export function predict<Witness = never>(
  trace: ThreadTraceSource,
  options: SearchOptions<Witness> = {},
): Prediction<Witness> {
  const byOrder = new HappensBeforeRung(trace);
  const bySync = new SyncPreservingRung(trace);
  const candidates = new Candidates(trace);
  for (const chunk of trace.chunks()) {
    byOrder.look(chunk);
    bySync.look(chunk);
    candidates.look(chunk);
  }
  const races: Race<Witness>[] = [];
  for (const pair of byOrder.found.all()) {
    races.push({ ...pair, rung: 'happens-before', isCertain: isIn(bySync.found, pair) });
  }
  for (const pair of bySync.found.all()) {
    if (isIn(byOrder.found, pair)) continue;
    races.push({ ...pair, rung: 'sync-preserving', isCertain: true });
  }
  const left = [...candidates.all()].filter(
    ([pair]) => !isIn(byOrder.found, pair) && !isIn(bySync.found, pair),
  );
  const searched = searchCandidates(left, options);
  return {
    races: [...races, ...searched.races],
    undecided: searched.undecided,
    cleared: searched.cleared,
    crowdedVariables: candidates.crowded,
    unfolded: byOrder.found.unfolded + bySync.found.unfolded,
  };
}

/** Whether there is one on the same variable at the same sites. */
function isIn(found: FoldedPairs, { variable, first, second }: AccessPair): boolean {
  return found.has(variable, first.site, second.site);
}
