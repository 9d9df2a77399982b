/**
 * What trying the races took, in milliseconds: `stats.validation` of a report.
 *
 *   { milliseconds: 2412, recordedOrder: 402,
 *     races: { R1: { verdict: 'harmful', attempts: 2, milliseconds: 811, after: 1213 } } }
 *
 * All races that were tried are in it, also those that the report tells as one with another, and
 * doubtful ones (detect/doubtful.ts) that it does not tell of.
 */
import type { Verdict } from './verdict.ts';

export interface ValidationFigures {
  /** All of it. */
  readonly milliseconds: number;
  /** Running the recorded order once more; absent if that was not possible at all. */
  readonly recordedOrder?: number | undefined;
  readonly races: Readonly<Record<string, RaceFigures>>;
}

export interface RaceFigures {
  readonly verdict: Verdict['kind'];
  /** How often the program was run for it. */
  readonly attempts: number;
  readonly milliseconds: number;
  /** How long after the beginning the verdict was reached. */
  readonly after: number;
}

type Reached = Pick<Verdict, 'kind' | 'attempts' | 'milliseconds'>;

export class Stopwatch {
  readonly #began = performance.now();
  readonly #races: Record<string, RaceFigures> = {};

  note(id: string, { kind, attempts, milliseconds }: Reached): void {
    const after = this.#elapsed;
    this.#races[id] = { verdict: kind, attempts, milliseconds: Math.round(milliseconds), after };
  }

  figures(recordedOrder: number | undefined): ValidationFigures {
    return {
      milliseconds: this.#elapsed,
      ...(recordedOrder !== undefined && { recordedOrder: Math.round(recordedOrder) }),
      races: this.#races,
    };
  }

  get #elapsed(): number {
    return Math.round(performance.now() - this.#began);
  }
}
