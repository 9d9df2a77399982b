/**
 * The last rung: hands the candidates that are left to a search, one after the other, until there is nothing
 * left to spend. Those whose pair of sites is new come first: the same two lines race on each element of an
 * array, and one of them tells most of it.
 */
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
  /** What one search may spend, and all of them. */
  readonly mostStatesEach?: number;
  readonly mostStates?: number;
}

const MOST_STATES_EACH = 20_000;
const MOST_STATES = 2_000_000;

export interface Searched<Witness> {
  readonly races: readonly Race<Witness>[];
  readonly undecided: readonly Candidate[];
  /** How many have no race among the pairs of them that were looked at. */
  readonly cleared: number;
}

export function searchCandidates<Witness>(
  candidates: readonly Candidate[],
  options: SearchOptions<Witness>,
): Searched<Witness> {
  const { search, mostStatesEach = MOST_STATES_EACH } = options;
  if (search === undefined) return { races: [], undecided: candidates, cleared: 0 };
  const races: Race<Witness>[] = [];
  const undecided: Candidate[] = [];
  let cleared = 0;
  let left = options.mostStates ?? MOST_STATES;
  for (const candidate of newSitesFirst(candidates)) {
    const race = firstRace(candidate);
    if (race === 'none') cleared++;
    else if (race === 'undecided') undecided.push(candidate);
    else races.push(race);
  }
  return { races, undecided, cleared };

  function firstRace(candidate: Candidate): Race<Witness> | 'none' | 'undecided' {
    let verdict: 'none' | 'undecided' = 'none';
    for (const pair of candidate) {
      if (left <= 0) return 'undecided';
      const answer = search!(pair, Math.min(left, mostStatesEach));
      left -= answer.states;
      if (answer.kind === 'race') {
        const { witness } = answer;
        return { ...pair, occurrences: 1, rung: 'search', isCertain: false, witness };
      }
      if (answer.kind === 'undecided') verdict = 'undecided';
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
