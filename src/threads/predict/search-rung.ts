/**
 * The last rung: hands the candidates that are left to a search, one after the other, until there is nothing
 * left to spend. Each gets a little at first, and those for which that was not enough get more when all others
 * have been looked at. Those whose pair of sites is new come first: the same two lines race on each element of an
 * array, and one of them tells most of it.
 */
import { tellProgress } from '../../base/progress.ts';
import type { Candidate } from './candidates/candidates.ts';
import type { AccessPair, Race } from './race.ts';

export type SearchAnswer<Witness> =
  | { readonly kind: 'race'; readonly witness: Witness; readonly states: number }
  | { readonly kind: 'none'; readonly states: number }
  | { readonly kind: 'undecided'; readonly states: number };

/** May spend up to `mostStates` on one pair. */
export type Search<Witness> = (pair: AccessPair, mostStates: number) => SearchAnswer<Witness>;

export interface SearchOptions<Witness> {
  /** Without it, all is undecided. */
  readonly search?: Search<Witness>;
  /** What one search may spend in the first round, and all of them together. */
  readonly mostStatesEach?: number;
  readonly mostStates?: number;
  /** Asked before each search; once it is true, the rest is undecided. */
  readonly isOver?: () => boolean;
  /**
   * Candidates with the same cause as a race are not searched: they say nothing new. Without it, each
   * has its own.
   */
  readonly causeOf?: (pair: AccessPair) => string;
  /** Whether the search keeps what is read, so that its races are certain. */
  readonly isSound?: boolean;
}

const MOST_STATES_EACH = 20_000;
const MOST_STATES = 2_000_000;
/** What did not suffice for a candidate may be so many times as much in the next round. */
const MORE_STATES = 8;

export interface Searched<Witness> {
  readonly races: readonly Race<Witness>[];
  readonly undecided: readonly Candidate[];
  /** Those that have no race among the pairs of them that were looked at. */
  readonly cleared: readonly Candidate[];
  /** Those that were not looked at, since a race has the same cause. */
  readonly alike: readonly Candidate[];
}

/** `known`: races that other rungs have found. */
export function searchCandidates<Witness>(
  candidates: readonly Candidate[],
  options: SearchOptions<Witness>,
  known: Iterable<AccessPair> = [],
): Searched<Witness> {
  const { search, mostStatesEach = MOST_STATES_EACH, isOver, causeOf, isSound = false } = options;
  if (search === undefined) return { races: [], undecided: candidates, cleared: [], alike: [] };
  const causes = new Set(causeOf === undefined ? [] : Array.from(known, causeOf));
  const races: Race<Witness>[] = [];
  const undecided: Candidate[] = [];
  const cleared: Candidate[] = [];
  const alike: Candidate[] = [];
  let left = options.mostStates ?? MOST_STATES;
  let each = mostStatesEach;
  let round = newSitesFirst(candidates);
  while (round.length > 0) {
    const again: Candidate[] = [];
    for (const candidate of round) look(candidate, again);
    round = again;
    each *= MORE_STATES;
  }
  return { races, undecided, cleared, alike };

  function look(candidate: Candidate, again: Candidate[]): void {
    const decided = races.length + undecided.length + cleared.length + alike.length;
    tellProgress('candidates searched', decided, candidates.length);
    const cause = causeOf?.(candidate[0]);
    if (cause !== undefined && causes.has(cause)) {
      alike.push(candidate);
      return;
    }
    const race = firstRace(candidate);
    if (race === 'none') cleared.push(candidate);
    else if (race === 'undecided') undecided.push(candidate);
    else if (race === 'too few states') again.push(candidate);
    else {
      races.push(race);
      if (cause !== undefined) causes.add(cause);
    }
  }

  function firstRace(
    candidate: Candidate,
  ): Race<Witness> | 'none' | 'undecided' | 'too few states' {
    let verdict: 'none' | 'undecided' | 'too few states' = 'none';
    for (const pair of candidate) {
      if (left <= 0 || isOver?.()) return 'undecided';
      const most = Math.min(left, each);
      const answer = search!(pair, most);
      left -= answer.states;
      if (answer.kind === 'race') {
        const { witness } = answer;
        return { ...pair, occurrences: 1, rung: 'search', isCertain: isSound, witness };
      }
      if (answer.kind === 'none') continue;
      // One that gave up for another reason would do so again.
      if (answer.states >= most) verdict = 'too few states';
      else if (verdict === 'none') verdict = 'undecided';
    }
    return verdict;
  }
}

/** The first candidate of each pair of sites, then the second of each, and so on. */
export function newSitesFirst(candidates: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>();
  const ranks = candidates.map(([{ first, second }]) => {
    const sites = [first.site, second.site].sort((a, b) => a - b).join(' ');
    const rank = counts.get(sites) ?? 0;
    counts.set(sites, rank + 1);
    return rank;
  });
  const places = [...candidates.keys()].sort((a, b) => ranks[a]! - ranks[b]! || a - b);
  return places.map((place) => candidates[place]!);
}
