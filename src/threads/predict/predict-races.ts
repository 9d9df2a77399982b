/**
 * All that is predicted from one trace in memory: the ladder (predict.ts) with the search through CSP models as
 * its last rung, one race for each cause, and a witness for each race.
 *
 * The search has a budget of time. What it has not come to is undecided. Two thirds are for candidates, the rest
 * is for shorter witnesses of races that the other rungs have found; no search may take more than a tenth, so
 * that one hard candidate does not keep all others waiting. In a long trace only a window around the accesses is
 * put in another order (window-for.ts): not to find a race there is no proof that there is none, and is told
 * apart (`clearedNearby`).
 */
import type { RaceSearchResult, Witness } from '../csp/race-search.ts';
import { RaceSearcher } from '../csp/search-race.ts';
import type { ThreadTrace } from '../model/trace.ts';
import type { Candidate } from './candidates/candidates.ts';
import { type CausedRace, Causes, foldByCause } from './causes.ts';
import { partsBefore } from './parts-before.ts';
import { predict } from './predict.ts';
import type { AccessPair, Race } from './race.ts';
import { isWhole, WINDOW_LENGTH, windowFor } from './window-for.ts';
import { type RaceWitness, Witnesses } from './witness.ts';

export interface PredictOptions {
  /** Every read before a race has to find the same write as in the trace. */
  readonly sound: boolean;
  /** For how long to search, in milliseconds. */
  readonly budgetMs: number;
  /** Asked now and then; once it is true, what is not decided is undecided. */
  readonly isStopped?: () => boolean;
  /** For tests; the clock, in milliseconds. */
  readonly now?: () => number;
  readonly windowLength?: number;
  /** What a search may look at in the first round (search-rung.ts). */
  readonly mostStatesEach?: number;
  readonly mostTold?: number;
}

export interface PredictedRace extends CausedRace<Witness> {
  readonly path: RaceWitness;
}

export interface Predicted {
  /** One for each cause, in the order of the rungs. */
  readonly races: readonly PredictedRace[];
  /** How many more causes there are than anybody could read of. */
  readonly untold: number;
  /** Of which nobody knows; one for each cause, but for those that a race has. */
  readonly undecided: readonly AccessPair[];
  /** How many candidates do not race. */
  readonly cleared: number;
  /** How many candidates do not race within the window around them; beyond it, nobody knows. */
  readonly clearedNearby: number;
  readonly crowdedVariables: number;
  readonly unfolded: number;
  /** All pairs that somebody has looked at, by what became of them, before any were folded. */
  readonly looked: Readonly<Record<'race' | 'undecided' | 'none', readonly AccessPair[]>>;
}

export const MOST_TOLD = 1000;
const MOST_STATES_EACH = 20_000;
const SHARE_OF_CANDIDATES = 2 / 3;
const SHARE_OF_ONE = 1 / 10;

export function predictRaces(trace: ThreadTrace, options: PredictOptions): Predicted {
  const { sound, mostTold = MOST_TOLD, mostStatesEach = MOST_STATES_EACH } = options;
  const causes = new Causes(trace.tables);
  const search = new BudgetedSearch(trace, options);
  const prediction = predict<Witness>(trace, {
    search: (pair, mostStates) => search.pair(pair, mostStates),
    isOver: () => search.isOver(SHARE_OF_CANDIDATES),
    mostStatesEach,
    mostStates: Number.POSITIVE_INFINITY,
    causeOf: (pair) => causes.of(pair),
    isSound: sound,
  });
  const folded = foldByCause(prediction.races, causes);
  const told = folded.slice(0, mostTold);
  const paths = witnessesOf(trace, told, search, sound);
  const isNearby = (candidate: Candidate): boolean =>
    candidate.some((pair) => search.clearedNearby.has(pair));
  const clearedNearby = prediction.cleared.filter(isNearby).length;
  const { races, undecided, cleared, alike, crowdedVariables, unfolded } = prediction;
  return {
    races: told.map((race, i) => ({ ...race, path: paths[i]! })),
    untold: folded.length - told.length,
    undecided: onePerCause(undecided, races, causes),
    cleared: cleared.length - clearedNearby,
    clearedNearby,
    crowdedVariables,
    unfolded,
    looked: { race: races, undecided: [...undecided, ...alike].flat(), none: cleared.flat() },
  };
}

/** Searches, as long as there is time. */
class BudgetedSearch {
  readonly clearedNearby = new Set<AccessPair>();
  readonly #trace: ThreadTrace;
  readonly #options: PredictOptions;
  readonly #now: () => number;
  #searcher: RaceSearcher | undefined;
  #start: number | undefined;

  constructor(trace: ThreadTrace, options: PredictOptions) {
    this.#trace = trace;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Made when it is first needed: that takes a walk over the trace. */
  get searcher(): RaceSearcher {
    this.#searcher ??= new RaceSearcher(this.#trace);
    return this.#searcher;
  }

  /** Whether that share of the budget is spent, counted from the first question. */
  isOver(share: number): boolean {
    this.#start ??= this.#now();
    if (this.#options.isStopped?.()) return true;
    return this.#now() - this.#start >= share * this.#options.budgetMs;
  }

  pair(pair: AccessPair, mostStates: number, share = SHARE_OF_CANDIDATES): RaceSearchResult {
    const { first, second } = pair;
    const { sound, budgetMs, windowLength = WINDOW_LENGTH } = this.#options;
    const { length } = this.#trace;
    const window = windowFor(first.event, second.event, length, windowLength);
    if (window === undefined) return { kind: 'undecided', states: 0 };
    const limit = this.#now() + SHARE_OF_ONE * budgetMs;
    const result = this.searcher.searchPair(first.event, second.event, {
      sound,
      window,
      mostStates,
      isOver: () => this.isOver(share) || this.#now() >= limit,
    });
    if (result.kind === 'none' && !isWhole(window, length)) this.clearedNearby.add(pair);
    return result;
  }

  /** Whether a witness can be looked for in all of the trace. */
  get isShort(): boolean {
    return this.#trace.length <= (this.#options.windowLength ?? WINDOW_LENGTH);
  }
}

function witnessesOf(
  trace: ThreadTrace,
  races: readonly Race<Witness>[],
  search: BudgetedSearch,
  sound: boolean,
): RaceWitness[] {
  if (races.length === 0) return [];
  const witnesses = new Witnesses(trace, search.searcher.steps);
  const shortest = races.map((race) => {
    if (race.witness !== undefined) return race.witness;
    if (!search.isShort || search.isOver(1)) return undefined;
    const result = search.pair(race, MOST_STATES_EACH, 1);
    return result.kind === 'race' ? result.witness : undefined;
  });
  const left = races.filter((_, i) => shortest[i] === undefined);
  // With `sound`, the pair is one of which the second rung is certain.
  const parts = partsBefore(
    trace,
    left.map((race) => ({ ...race, rung: sound ? 'sync-preserving' : rungOf(race) })),
  );
  return races.map((race, i) => {
    const found = shortest[i];
    if (found !== undefined) return witnesses.found(found);
    return witnesses.byPart(parts[left.indexOf(race)]!, race);
  });
}

/** A race that the search has found has its witness. */
function rungOf({ rung }: Race<Witness>): 'happens-before' | 'sync-preserving' {
  return rung === 'happens-before' ? rung : 'sync-preserving';
}

function onePerCause(
  candidates: readonly Candidate[],
  races: readonly AccessPair[],
  causes: Causes,
): AccessPair[] {
  const known = new Set(races.map((race) => causes.of(race)));
  return candidates.flatMap(([pair]) => {
    const cause = causes.of(pair);
    if (known.has(cause)) return [];
    known.add(cause);
    return [pair];
  });
}
