/**
 * One task, done in several ways side by side: printed as a table, and kept for the page of results, which has a
 * plot of it as well (tools/bench-results.mjs).
 *
 *   | redis under load | median ms | spread | ratio |
 *   | ---------------- | --------: | -----: | ----: |
 *   | native           |       812 |   ±3 % |  1.00 |
 *   | deadheat record  |      1016 |   ±4 % |  1.25 |
 */
import { markdownTable } from './markdown-table.ts';
import { median } from './measure.ts';

export interface ComparedWay {
  readonly name: string;
  /** One for each round: milliseconds, or ratios where each is beside a native run of its own. */
  readonly samples: readonly number[];
  /** To what it is compared with; 1 for that itself. */
  readonly ratio: number;
  /** Further columns. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Of each round, and their median. */
export interface ComparedRounds {
  readonly ratio: number;
  readonly ratios: readonly number[];
}

export interface Comparison {
  readonly title: string;
  readonly ways: readonly ComparedWay[];
}

/** What is left of a comparison to be drawn, in ratios. */
export interface PlottedWay {
  readonly name: string;
  readonly ratio: number;
  /** Of all rounds; not known of some that were measured before these were kept. */
  readonly fastest?: number;
  readonly slowest?: number;
}

export interface Plotted {
  readonly title: string;
  readonly ways: readonly PlottedWay[];
}

export function plotted({ title, ways }: Comparison): Plotted {
  const rounded = (ratio: number): number => Number(ratio.toFixed(3));
  return {
    title,
    ways: ways.map(({ name, samples, ratio }) => {
      const each = ratio / median(samples);
      return {
        name,
        ratio: rounded(ratio),
        fastest: rounded(each * Math.min(...samples)),
        slowest: rounded(each * Math.max(...samples)),
      };
    }),
  };
}

const told: Comparison[] = [];

export function tellComparison(title: string, ways: readonly ComparedWay[]): void {
  told.push({ title, ways });
  const rows = ways.map(({ name, samples, ratio, more = {} }) => ({
    [title]: name,
    'median ms': median(samples).toFixed(0),
    spread: spread(samples),
    ratio: ratio.toFixed(ratio < 2 ? 3 : 2),
    ...more,
  }));
  console.log(`\n${markdownTable(rows)}\n`);
}

/** Programs that are all treated in one way, each beside its native run: a plot of what a table says elsewhere. */
export function plotPrograms(title: string, programs: ReadonlyMap<string, ComparedRounds>): void {
  const ways = [...programs].map(([name, { ratio, ratios }]) => ({ name, ratio, samples: ratios }));
  told.push({ title, ways: [{ name: 'native', ratio: 1, samples: [1] }, ...ways] });
}

/** Ways that have to do with us: the others are what we are compared with. */
export const isOwn = (way: string): boolean =>
  /deadheat|hits\/s|planted|sampled|isolated|tolerate/.test(way);

/** Those that were told since the last time. */
export const takeComparisons = (): readonly Comparison[] => told.splice(0);

/** Half of the way from the lowest to the highest, in per cent of the median. */
function spread(samples: readonly number[]): string {
  if (samples.length < 2) return '';
  const half = (Math.max(...samples) - Math.min(...samples)) / 2;
  return `±${((100 * half) / median(samples)).toFixed(0)} %`;
}
