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
 * a race. If only what is certain counts (`isSound`), a race by happens-before that may be a mere consequence
 * of another one is a candidate like others, and the search decides. All but the search is done in one walk over the trace (and a look at its barriers before that),
 * so a trace in a file need not be in memory.
 */
import { tellProgress } from '../../base/progress.ts';
import type { ThreadTraceSource } from '../model/trace.ts';
import { type Candidate, Candidates } from './candidates/candidates.ts';
import type { FoldedPairs } from './folded-pairs.ts';
import { HappensBeforeRung } from './happens-before.ts';
import type { AccessPair, Race, Rung } from './race.ts';
import { type SearchOptions, searchCandidates } from './search-rung.ts';
import { SyncPreservingRung } from './sync-preserving/rung.ts';

export interface Prediction<Witness> {
  /** In the order of the rungs, and on each in the order in which they were found. */
  readonly races: readonly Race<Witness>[];
  /** Of which nobody knows. */
  readonly undecided: readonly Candidate[];
  /** Of which the search found that they do not race, in the pairs of them that it looked at. */
  readonly cleared: readonly Candidate[];
  /** Which nobody looked at, since a race has the same cause. */
  readonly alike: readonly Candidate[];
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
  let seen = 0;
  for (const chunk of trace.chunks()) {
    tellProgress('events looked at', seen, trace.length ?? 0);
    seen += chunk.count;
    byOrder.look(chunk);
    bySync.look(chunk);
    candidates.look(chunk);
  }
  const races = options.isSound
    ? certainRaces<Witness>(byOrder.found, bySync.found)
    : allRaces<Witness>(byOrder.found, bySync.found);
  const left = [...candidates.all()].filter(
    ([pair]) => !isIn(bySync.found, pair) && (options.isSound || !isIn(byOrder.found, pair)),
  );
  const searched = searchCandidates(left, options, races);
  return {
    ...searched,
    races: [...races, ...searched.races],
    crowdedVariables: candidates.crowded,
    unfolded: byOrder.found.unfolded + bySync.found.unfolded,
  };
}

function allRaces<Witness>(byOrder: FoldedPairs, bySync: FoldedPairs): Race<Witness>[] {
  const races: Race<Witness>[] = [];
  for (const pair of byOrder.all()) {
    races.push({ ...pair, rung: 'happens-before', isCertain: isIn(bySync, pair) });
  }
  for (const pair of bySync.all()) {
    if (isIn(byOrder, pair)) continue;
    races.push({ ...pair, rung: 'sync-preserving', isCertain: true });
  }
  return races;
}

/** The same races, but for the others; and each with a pair of which it is certain. */
function certainRaces<Witness>(byOrder: FoldedPairs, bySync: FoldedPairs): Race<Witness>[] {
  const all = [...bySync.all()];
  const told = (rung: Rung, isWanted: (pair: AccessPair) => boolean): Race<Witness>[] =>
    all.filter(isWanted).map((pair) => ({ ...pair, rung, isCertain: true }));
  return [
    ...told('happens-before', (pair) => isIn(byOrder, pair)),
    ...told('sync-preserving', (pair) => !isIn(byOrder, pair)),
  ];
}

/** Whether there is one on the same variable at the same sites. */
function isIn(found: FoldedPairs, { variable, first, second }: AccessPair): boolean {
  return found.has(variable, first.site, second.site);
}
