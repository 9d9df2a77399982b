/**
 * Ways to do the same thing, taking turns, each compared with the first one of the same round: how fast a machine is
 * changes by the minute. The first way is measured a second time in each round, so that it can be seen what of a ratio
 * is chance.
 *
 *   native 1.000   native again 1.004 (0.99–1.02)   sampled 1.017 (1.00–1.03)
 *
 * Beside the time that goes by, what it takes of processors is compared: the same however busy the machine is, but for
 * what others leave of its caches.
 */
import { median } from './measure.ts';

/** In milliseconds: for how long it ran, and what it had of processors meanwhile. */
export interface Spent {
  readonly running: number;
  readonly processor: number;
}

export type Timed = () => Spent | Promise<Spent>;

export interface Ratios {
  readonly ms: number;
  readonly ratio: number;
  /** Of each round, the lowest first. */
  readonly ratios: readonly number[];
  /** Half of all rounds lie between these. */
  readonly from: number;
  readonly to: number;
  /** The fastest time beside the fastest of the first way: what is left of a busy machine's noise. */
  readonly lowest: number;
  /** Of what it takes of processors. */
  readonly processor: number;
}

export const AGAIN = ' again';

/** Way → what it takes, beside the first way. */
export async function interleaved(
  ways: ReadonlyMap<string, Timed>,
  rounds: number,
): Promise<ReadonlyMap<string, Ratios>> {
  const [[first, measureFirst]] = [...ways] as [[string, Timed]];
  const all = [...ways, [`${first}${AGAIN}`, measureFirst] as const];
  const times = new Map(all.map(([way]) => [way, [] as Spent[]]));
  for (let round = 0; round < rounds; round++) {
    // Whoever comes first in a round has it harder or easier: each does in turn.
    for (let turn = 0; turn < all.length; turn++) {
      const [way, measure] = all[(round + turn) % all.length]!;
      times.get(way)!.push(await measure());
    }
  }
  const beside = times.get(first)!;
  return new Map(
    [...times].map(([way, samples]) => {
      const ratiosOf = (what: keyof Spent): number[] =>
        samples.map((spent, round) => spent[what] / beside[round]![what]).sort((a, b) => a - b);
      const ratios = ratiosOf('running');
      const at = (share: number): number => ratios[Math.round((ratios.length - 1) * share)]!;
      const times = samples.map(({ running }) => running);
      const lowest = Math.min(...times) / Math.min(...beside.map(({ running }) => running));
      return [
        way,
        {
          ...{ ms: median(times), ratio: median(ratios), ratios },
          ...{ from: at(0.25), to: at(0.75), lowest },
          processor: median(ratiosOf('processor')),
        },
      ];
    }),
  );
}

export const spread = ({ from, to }: Ratios): string => `${from.toFixed(2)}–${to.toFixed(2)}`;
