/**
 * Ways to do the same thing, taking turns, each compared with the first one of the same round: how fast a machine is
 * changes by the minute. The first way is measured a second time in each round, so that it can be seen what of a ratio
 * is chance. All others are compared with the mean of its two times, so that there is less of its chance in their ratios.
 *
 *   native 1.000   native again 1.004 (0.99–1.02)   sampled 1.017 (1.00–1.03)
 *
 * Beside the time that goes by, what it takes of processors is compared: the same however busy the machine is, but for
 * what others leave of its caches.
 */
import { median, medianLimits } from './measure.ts';
import { ownFolder, type Spent, type SpentInTurns, type Starter, takeTurns } from './turns.ts';

export type Timed = () => Spent | Promise<Spent>;

export interface Ratios {
  readonly times: readonly number[];
  readonly ms: number;
  readonly ratio: number;
  /** Of each round, the lowest first. */
  readonly ratios: readonly number[];
  /** Between which ratios the true median lies, nine times in ten. */
  readonly limits: readonly [number, number];
  readonly processorLimits: readonly [number, number];
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
  return ratiosTo(first, times);
}

/** The same, while they take turns all the time: for what must not be changed by what a machine's neighbours do. */
export async function inTurns(
  ways: ReadonlyMap<string, Starter>,
  rounds: number,
  folder: string,
  /** Told of each that is done, with the folder that it ran in. */
  done: (way: string, cwd: string, spent: SpentInTurns) => void = () => {},
): Promise<ReadonlyMap<string, Ratios>> {
  const [[first, startFirst]] = [...ways] as [[string, Starter]];
  const all = [...ways, [`${first}${AGAIN}`, startFirst] as const];
  const times = new Map(all.map(([way]) => [way, [] as Spent[]]));
  for (let round = 0; round < rounds; round++) {
    const order = all.map((_, turn) => all[(round + turn) % all.length]!);
    for (const [way, spent] of await takeTurns(new Map(order), folder)) {
      times.get(way)!.push(spent);
      done(way, ownFolder(folder, way), spent);
    }
    const told = [...times].map(([way, spent]) => `${way} ${spent.at(-1)!.running.toFixed(0)} ms`);
    console.error(`round ${round + 1} of ${rounds}: ${told.join(', ')}`);
  }
  return ratiosTo(first, times);
}

function ratiosTo(
  first: string,
  times: ReadonlyMap<string, readonly Spent[]>,
): ReadonlyMap<string, Ratios> {
  const [beside, again] = [times.get(first)!, times.get(`${first}${AGAIN}`)!];
  const baseOf = (way: string, round: number, what: keyof Spent): number => {
    const isItself = way === first || way === `${first}${AGAIN}`;
    return isItself ? beside[round]![what] : (beside[round]![what] + again[round]![what]) / 2;
  };
  return new Map(
    [...times].map(([way, samples]) => {
      const ratiosOf = (what: keyof Spent): number[] =>
        samples.map((spent, round) => spent[what] / baseOf(way, round, what)).sort((a, b) => a - b);
      const [ratios, ofProcessors] = [ratiosOf('running'), ratiosOf('processor')];
      const at = (share: number): number => ratios[Math.round((ratios.length - 1) * share)]!;
      const times = samples.map(({ running }) => running);
      const lowest = Math.min(...times) / Math.min(...beside.map(({ running }) => running));
      return [
        way,
        {
          ...{ times, ms: median(times), ratio: median(ratios), ratios },
          ...{ from: at(0.25), to: at(0.75), lowest },
          ...{ limits: medianLimits(ratios), processorLimits: medianLimits(ofProcessors) },
          processor: median(ofProcessors),
        },
      ];
    }),
  );
}

export const spread = ({ from, to }: Ratios): string => between([from, to]);
export const between = ([from, to]: readonly [number, number]): string =>
  `${from.toFixed(2)}–${to.toFixed(2)}`;
