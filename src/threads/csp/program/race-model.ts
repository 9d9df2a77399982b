/**
 * What one search for a race is about: the steps of each thread, how things are at first, and where the
 * two threads have to stand at the same time.
 *
 *   T1  w(y) lock m  w(x) unlock m          asked for y: T1 stops at 0, before `lock m`
 *   T2  lock m  w(x) unlock m w(y)                       T2 stops at 2, after `unlock m`
 *
 * Accesses are no steps, but stand between them; unless reads have to find the same writes as in the trace
 * (`sound`): then all accesses to variables that threads share are steps, and a thread stops before its
 * access.
 */
import { assert } from '../../../base/assert.ts';
import { firstIndex } from '../../../base/bisect.ts';
import { isAccess } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';
import type { AccessesOf, EventNumber, Window } from '../race-search.ts';
import { accessSteps } from './access-steps.ts';
import { accessOf } from './conflict.ts';
import { groupedBy } from './grouped.ts';
import { helpfulSteps } from './helpful-steps.ts';
import { StartValues } from './start-values.ts';
import { familyOf, type Step } from './step.ts';
import type { TraceSteps } from './trace-steps.ts';

/** A place of a thread with accesses that may be part of a race. */
export interface Stop {
  /** How many of its steps the thread has done. */
  readonly position: number;
  /** One of each kind that is there. */
  readonly accesses: readonly EventNumber[];
  /** Their kinds (conflict.ts). */
  readonly kinds: number;
}

export interface RaceModel {
  readonly racing: readonly [number, number];
  /** By thread, for the racing ones and all that may help them. The racing ones have none after their last stop. */
  readonly steps: ReadonlyMap<number, readonly Step[]>;
  readonly start: StartValues;
  readonly stops: readonly [readonly Stop[], readonly Stop[]];
  readonly isSound: boolean;
}

export interface ModelOptions {
  readonly sound: boolean;
  readonly window?: Window;
}

export class RaceModels {
  readonly #trace: ThreadTrace;
  readonly #steps: TraceSteps;
  #start: { readonly from: number; readonly values: StartValues } | undefined;

  constructor(trace: ThreadTrace, steps: TraceSteps) {
    this.#trace = trace;
    this.#steps = steps;
  }

  ofPair(first: EventNumber, second: EventNumber, options: ModelOptions): RaceModel {
    const trace = this.#trace;
    for (const event of [first, second]) {
      assert(isAccess(trace.opAt(event)), 'a race of something that is no access');
    }
    assert(trace.targetAt(first) === trace.targetAt(second), 'a race of different variables');
    const threads = [trace.threadAt(first), trace.threadAt(second)] as const;
    return this.#model(threads, [[first], [second]], options);
  }

  ofAccesses({ variable, threads }: AccessesOf, options: ModelOptions): RaceModel {
    const { from, to } = this.#window(options);
    const accesses: [EventNumber[], EventNumber[]] = [[], []];
    for (let event = from; event < to; event++) {
      const op = this.#trace.opAt(event);
      if (!isAccess(op) || this.#trace.targetAt(event) !== variable) continue;
      const side = threads.indexOf(this.#trace.threadAt(event));
      if (side >= 0) accesses[side as 0 | 1].push(event);
    }
    return this.#model(threads, accesses, options);
  }

  #model(
    racing: readonly [number, number],
    accesses: readonly [readonly EventNumber[], readonly EventNumber[]],
    options: ModelOptions,
  ): RaceModel {
    assert(racing[0] !== racing[1], 'a race of a thread with itself');
    const window = this.#window(options);
    for (const event of accesses.flat()) {
      assert(event >= window.from && event < window.to, 'a race outside of its window');
    }
    const steps = this.#stepsOf(window, options.sound);
    for (const thread of racing) if (!steps.has(thread)) steps.set(thread, []);
    const [first, second] = racing.map((thread, side) => {
      const stops = this.#stopsOf(steps.get(thread)!, accesses[side]!);
      steps.set(thread, steps.get(thread)!.slice(0, stops.at(-1)?.position ?? 0));
      return stops;
    });
    const start = this.#startOf(window.from);
    const helpful = helpfulSteps(steps, racing);
    return { racing, steps: helpful, start, stops: [first!, second!], isSound: options.sound };
  }

  #stepsOf(window: Window, sound: boolean): Map<number, Step[]> {
    const { all } = this.#steps;
    const from = firstIndex(all, ({ at }) => at >= window.from);
    let steps = all.slice(
      from,
      firstIndex(all, ({ at }) => at >= window.to, from),
    );
    if (sound) {
      steps = steps.filter(({ kind }) => familyOf[kind] !== 'variable');
      steps = [...steps, ...accessSteps(this.#trace, window, steps)].sort((a, b) => a.at - b.at);
    }
    return groupedBy(steps, 'thread');
  }

  #stopsOf(steps: readonly Step[], accesses: readonly EventNumber[]): Stop[] {
    const stops: { position: number; accesses: EventNumber[]; kinds: number }[] = [];
    let position = 0;
    for (const event of accesses) {
      while (position < steps.length && steps[position]!.at < event) position++;
      let stop = stops.at(-1);
      if (stop?.position !== position) {
        stop = { position, accesses: [], kinds: 0 };
        stops.push(stop);
      }
      const kind = accessOf(this.#trace.opAt(event));
      if ((stop.kinds & kind) !== 0) continue;
      stop.kinds |= kind;
      stop.accesses.push(event);
    }
    return stops;
  }

  #startOf(from: number): StartValues {
    if (this.#start?.from !== from) {
      this.#start = { from, values: new StartValues(this.#steps, from) };
    }
    return this.#start.values;
  }

  #window({ window }: ModelOptions): Window {
    return window ?? { from: 0, to: this.#trace.length };
  }
}
