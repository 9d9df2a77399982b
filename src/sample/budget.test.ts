import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, type CostFigures, costBetween, NO_COST, SIGNAL_NS } from './budget.ts';

/** A program that is busy all the time: a sample each `period` ns of processor time. */
class SimulatedProgram {
  readonly #handlerNs: number;
  readonly #locksPerSecond: number;
  #figures: CostFigures = NO_COST;

  constructor(handlerNs: number, locksPerSecond = 0) {
    this.#handlerNs = handlerNs;
    this.#locksPerSecond = locksPerSecond;
  }

  run(seconds: number, period: number): CostFigures {
    const before = this.#figures;
    const samples = Math.round((seconds * 1e9) / period);
    this.#figures = {
      processorNs: before.processorNs + seconds * 1e9,
      samples: before.samples + samples,
      handlerNs: before.handlerNs + samples * this.#handlerNs,
      lockOperations: before.lockOperations + seconds * this.#locksPerSecond,
      ...{ allocations: 0, syncs: 0, silentSyncs: 0 },
    };
    return this.#figures;
  }
}

function costAfter(steps: number, budget: Budget, program: SimulatedProgram) {
  for (let step = 0; step < steps; step++) budget.adapt(program.run(100, budget.period));
  const before = program.run(100, budget.period);
  return costBetween(before, program.run(100, budget.period));
}

describe('the budget', () => {
  it('is met, whatever a sample costs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 50_000 }),
        fc.double({ min: 0.002, max: 0.2, noNaN: true }),
        (handlerNs, share) => {
          const budget = new Budget(share, { period: 4_000_000, shortest: 10_000 });
          const { ofSamples } = costAfter(40, budget, new SimulatedProgram(handlerNs));
          const atShortest = (handlerNs + SIGNAL_NS) / 10_000;
          expect(ofSamples).toBeGreaterThan(0.9 * Math.min(share, atShortest));
          expect(ofSamples).toBeLessThan(1.1 * share);
        },
      ),
    );
  });

  it('leaves less for samples if there are many locks, and never nothing', () => {
    const dear = new Budget(0.02, { period: 100_000, shortest: 10_000 });
    // 8 million operations of 1.85 ns are 1.48 %.
    const some = costAfter(40, dear, new SimulatedProgram(3000, 8_000_000));
    expect(some.ofHooks).toBeCloseTo(0.0148, 4);
    expect(some.ofSamples).toBeCloseTo(0.0052, 4);
    const many = new Budget(0.02, { period: 100_000, shortest: 10_000 });
    const rest = costAfter(40, many, new SimulatedProgram(3000, 100_000_000));
    expect(rest.ofSamples).toBeCloseTo(0.002, 4);
  });

  it('has less left for samples where threads meet often', () => {
    const second = { ...NO_COST, processorNs: 1e9 };
    const costOf = (figures: Partial<CostFigures>): number =>
      costBetween(NO_COST, { ...second, ...figures }).ofHooks;
    expect(costOf({ syncs: 1e6 })).toBeCloseTo(0.06, 4);
    expect(costOf({ silentSyncs: 10e6 })).toBeCloseTo(0.01, 4);
  });

  it('never asks for more than the event can do', () => {
    const budget = new Budget(0.5, { period: 4_000_000, shortest: 4_000_000 });
    costAfter(20, budget, new SimulatedProgram(1000));
    expect(budget.period).toBe(4_000_000);
  });

  it('waits until there is something to go by', () => {
    const budget = new Budget(0.02, { period: 4_000_000, shortest: 10_000 });
    expect(budget.adapt({ ...NO_COST, processorNs: 1e9, samples: 19 })).toBe(4_000_000);
    expect(budget.adapt({ ...NO_COST, samples: 1000, handlerNs: 1e9 })).toBe(4_000_000);
  });

  it('does not count what was before sampling was turned on', () => {
    const budget = new Budget(0.02, { period: 100_000, shortest: 10_000 });
    const idle = { ...NO_COST, processorNs: 1e12, lockOperations: 1e9 };
    budget.startFrom(idle);
    // 1000 samples of 3 µs in a second are 0.3 %.
    const handlerNs = 1000 * (3000 - SIGNAL_NS);
    budget.adapt({ ...idle, processorNs: 1.001e12, samples: 1000, handlerNs });
    expect(budget.period).toBe(50_000);
  });
});
