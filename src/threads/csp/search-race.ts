/**
 * Looks for an order of a trace's events in which two threads stand before racing accesses at once. Three
 * looks, each only if the one before has left it open: what must be done anyway (needed-steps.ts), whether
 * there is a way (decide.ts), and which is the shortest (shortest.ts).
 */
import { NONE } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import { accessOf, isConflict } from './program/conflict.ts';
import { type RaceModel, RaceModels } from './program/race-model.ts';
import type { Step } from './program/step.ts';
import { TraceSteps } from './program/trace-steps.ts';
import type {
  AccessesOf,
  EventNumber,
  RaceSearchOptions,
  RaceSearchResult,
} from './race-search.ts';
import { decide } from './search/decide.ts';
import { Machine, type Row } from './search/machine.ts';
import { NeededSteps } from './search/needed-steps.ts';
import { follow, type Move, trimmed } from './search/path.ts';
import { shortest } from './search/shortest.ts';

/** Of all states together: 256 MB. */
const MOST_CELLS = 2 ** 26;

/** One for a trace: what many searches need of it is worked out once. */
export class RaceSearcher {
  readonly #trace: ThreadTrace;
  readonly #steps: TraceSteps;
  readonly #models: RaceModels;

  constructor(trace: ThreadTrace) {
    this.#trace = trace;
    this.#steps = new TraceSteps(trace);
    this.#models = new RaceModels(trace, this.#steps);
  }

  /** All steps of the trace, in its order. */
  get steps(): readonly Step[] {
    return this.#steps.all;
  }

  /** For two given accesses, of different threads to one variable; at least one a store, not both atomic. */
  searchPair(
    first: EventNumber,
    second: EventNumber,
    options: RaceSearchOptions,
  ): RaceSearchResult {
    return this.#search(this.#models.ofPair(first, second, options), options);
  }

  /** For any accesses of two threads to a variable. */
  searchAccesses(accesses: AccessesOf, options: RaceSearchOptions): RaceSearchResult {
    return this.#search(this.#models.ofAccesses(accesses, options), options);
  }

  #search(model: RaceModel, options: RaceSearchOptions): RaceSearchResult {
    const machine = new Machine(model);
    const mostStates = Math.min(options.mostStates, Math.floor(MOST_CELLS / machine.start.length));
    const needed = neededFor(machine, model);
    if (needed === undefined) return { kind: 'none', states: 0 };
    const limits = { mostStates, isOver: options.isOver };
    const decision = decide(machine, needed, limits);
    if (decision.kind !== 'race') return decision;
    const best = shortest(machine, needed, limits);
    const moves = best.moves ?? trimmed(machine, decision.moves);
    const witness = {
      recordedUntil: options.window?.from ?? 0,
      order: eventsOf(machine, moves),
      racing: this.#racing(machine, follow(machine, moves)!),
      isShortest: best.moves !== undefined,
    };
    return { kind: 'race', witness, states: decision.states + best.states };
  }

  /** Of all accesses where the two threads stand, the first that are a race. */
  #racing(machine: Machine, row: Row): readonly [EventNumber, EventNumber] {
    const [first, second] = machine.stopsAt(row);
    const kindOf = (event: EventNumber): number => accessOf(this.#trace.opAt(event));
    const pairs = first.accesses.flatMap((one) =>
      second.accesses.map((other) => [one, other] as const),
    );
    return pairs.find(([one, other]) => isConflict(kindOf(one), kindOf(other)))!;
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

/** What each thread must do for any of the races; undefined if none of them can be for that. */
function neededFor(machine: Machine, { stops }: RaceModel): Int32Array | undefined {
  const [ofFirst, ofSecond] = stops;
  const [first, second] = machine.racing;
  const [firstStop, secondStop] = [ofFirst[0], ofSecond[0]];
  if (firstStop === undefined || secondStop === undefined) return undefined;
  const needed = new NeededSteps(machine).before(
    new Map([
      [first, firstStop.position],
      [second, secondStop.position],
    ]),
  );
  if (needed === undefined) return undefined;
  const isPossible =
    needed[first]! <= ofFirst.at(-1)!.position && needed[second]! <= ofSecond.at(-1)!.position;
  return isPossible ? needed : undefined;
}

function eventsOf(machine: Machine, moves: readonly Move[]): EventNumber[] {
  const row = machine.start.slice();
  const events: EventNumber[] = [];
  for (const { chain, wake } of moves) {
    const { event } = machine.next(row, chain)!;
    if (event !== NONE) events.push(event);
    machine.take(row, chain, wake);
  }
  return events;
}
