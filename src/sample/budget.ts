/**
 * Finds the period at which sampling costs as much as the user allows. Every now and then it is told how much has
 * been done so far, and says which period to go on with:
 *
 *   const budget = new Budget(0.02, { period: 500_000, shortest: 10_000 });
 *   budget.adapt(figures)     // 730_000: samples were taking 2.9 % of the processor time
 *
 * A sample costs what its handler takes, which the agent measures, and what the kernel takes to deliver a signal.
 * What locks, allocations and synchronisation cost does not depend on the period; it is estimated from their number and
 * leaves less for the samples. How much of it is logged does: what a sample makes new is told to others.
 */

/** All since the program began. */
export interface CostFigures {
  /** Processor time of the whole program. */
  readonly processorNs: number;
  readonly samples: number;
  /** Time spent in handlers. */
  readonly handlerNs: number;
  /** Locks that were taken or let go. */
  readonly lockOperations: number;
  /** Blocks that were allocated or freed. */
  readonly allocations: number;
  /** Operations by which threads meet: those that were logged, and those that had nothing new to tell. */
  readonly syncs: number;
  readonly silentSyncs: number;
}

export const NO_COST: CostFigures = {
  ...{ processorNs: 0, samples: 0, handlerNs: 0, lockOperations: 0, allocations: 0 },
  ...{ syncs: 0, silentSyncs: 0 },
};

/** What the kernel takes for a signal and the return from it: an order of magnitude, of current machines. */
export const SIGNAL_NS = 2000;
/**
 * What the agent adds to each, as `npm run bench -- sample hooks` has measured it: 3.7 ns for a lock that is taken and
 * let go, 14.7 ns for a block that is allocated, kept for a while and freed. Blocks that are freed at once are not
 * counted. A signal of a condition takes 22 ns if it is logged, and 0.8 ns if it is not; between processors it is more,
 * as both have to look at what the other has written.
 */
const LOCK_OPERATION_NS = 3.7 / 2;
const ALLOCATION_NS = 14.7 / 2;
const SYNC_NS = 60;
const SILENT_SYNC_NS = 1;

/** Fewer say nothing about what one of them costs. */
const FEWEST_SAMPLES = 20;
/** However much is taken by locks, samples are not given up. */
const LEAST_LEFT = 0.1;
/** One odd second must not change everything. */
const LARGEST_STEP = 2;
const LONGEST_FACTOR = 1000;

export interface Cost {
  /** As a share of the processor time. */
  readonly ofSamples: number;
  readonly ofHooks: number;
}

export function costBetween(before: CostFigures, after: CostFigures): Cost {
  const processorNs = Math.max(1, after.processorNs - before.processorNs);
  const samples = after.samples - before.samples;
  const handlerNs = after.handlerNs - before.handlerNs + samples * SIGNAL_NS;
  const lockOperations = after.lockOperations - before.lockOperations;
  const allocations = after.allocations - before.allocations;
  const hooksNs =
    lockOperations * LOCK_OPERATION_NS +
    allocations * ALLOCATION_NS +
    (after.syncs - before.syncs) * SYNC_NS +
    (after.silentSyncs - before.silentSyncs) * SILENT_SYNC_NS;
  return { ofSamples: handlerNs / processorNs, ofHooks: hooksNs / processorNs };
}

export class Budget {
  readonly share: number;
  readonly #shortest: number;
  readonly #longest: number;
  #period: number;
  #last: CostFigures = NO_COST;

  constructor(share: number, event: { readonly period: number; readonly shortest: number }) {
    this.share = share;
    this.#period = event.period;
    this.#shortest = event.shortest;
    this.#longest = event.period * LONGEST_FACTOR;
  }

  get period(): number {
    return this.#period;
  }

  /** What has been before says nothing: nobody was sampled. */
  startFrom(figures: CostFigures): void {
    this.#last = figures;
  }

  /** The period from now on. */
  adapt(figures: CostFigures): number {
    const samples = figures.samples - this.#last.samples;
    if (samples < FEWEST_SAMPLES || figures.processorNs <= this.#last.processorNs) {
      return this.#period;
    }
    const { ofSamples, ofHooks } = costBetween(this.#last, figures);
    this.#last = figures;
    const left = Math.max(this.share - ofHooks, this.share * LEAST_LEFT);
    const factor = Math.min(Math.max(ofSamples / left, 1 / LARGEST_STEP), LARGEST_STEP);
    const period = Math.round(this.#period * factor);
    this.#period = Math.min(Math.max(period, this.#shortest), this.#longest);
    return this.#period;
  }
}
