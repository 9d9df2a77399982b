/** The programs of examples/sample: how soon their races are caught, and what is reported where there are none. */
import { join } from 'node:path';
import {
  compileSampled,
  placesOf,
  type SampleExample,
  sampleExamplesIn,
} from '../test/harness/sample-examples.ts';
import { pairOf } from '../test/harness/thread-scenarios.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen, median } from './measure.ts';
import { sampledReport } from './sampled-report.ts';
import { roundsIn } from './sampled-work.ts';

const RUNS = 10;
const ASKED_SHARE = 0.9;
/** Accesses that samples tell of, for each of the instructions that were sampled themselves. */
const ASKED_GAIN = 4;
/** A minute in all. Each is a run of its own: what an earlier one has seen of a race does not help. */
const SECONDS = [4, 8, 16, 32];
const TWIN_SECONDS = 20;

export function caught(folder: string, words: readonly string[]): void {
  const examples = sampleExamplesIn(join(process.cwd(), 'examples', 'sample'));
  const names = chosen(
    examples.map(({ name }) => name),
    words,
  );
  const wanted = examples.filter(({ name }) => names.includes(name));
  const racy = wanted.filter(({ expected }) => expected.races.length > 0);
  if (racy.length > 0) {
    console.log(markdownTable(racy.map((one) => catching(folder, one, roundsIn(words, RUNS)))));
    console.log('');
  }
  console.log(markdownTable(wanted.map((one) => silence(folder, one))));
}

function catching(folder: string, example: SampleExample, runs: number): TableRow {
  const { expected } = example;
  const program = join(folder, example.name);
  compileSampled(join(example.folder, expected.racy!), program);
  const truth = new Set(expected.races.map(({ lines }) => pairOf(lines)));
  const [after, gains]: [number[], number[]] = [[], []];
  let others = 0;
  for (let time = 0; time < runs; time++) {
    let spent = 0;
    for (const seconds of SECONDS) {
      spent += seconds;
      const { races, stats } = sampledReport(folder, [program, `${seconds}`]);
      gains.push(Number(stats.gainOfExtension));
      const places = races.map((race) => placesOf(race, expected.racy!));
      others += places.filter((one) => !truth.has(one)).length;
      if (!places.some((one) => truth.has(one))) continue;
      after.push(spent);
      break;
    }
  }
  return {
    example: example.name,
    [`caught within ${SECONDS.reduce((sum, one) => sum + one)} s`]: `${after.length} of ${runs}`,
    'median s': after.length > 0 ? median(after) : '-',
    'reports that are no race': others,
    [`asked ${ASKED_SHARE * 100} %`]: after.length >= ASKED_SHARE * runs ? 'met' : 'MISSED',
    'gain of extension': median(gains),
    [`asked ${ASKED_GAIN}`]: median(gains) >= ASKED_GAIN ? 'met' : 'MISSED',
  };
}

function silence(folder: string, { name, folder: from, expected }: SampleExample): TableRow {
  const source = expected.fixed ?? expected.clean!;
  const program = join(folder, `${name}-right`);
  compileSampled(join(from, source), program);
  const { races } = sampledReport(folder, [program, `${TWIN_SECONDS}`]);
  const told = [...new Set(races.map((race) => placesOf(race, source)))].join(', ');
  return {
    'without a race': `${name}/${source}`,
    reports: races.length,
    where: told,
    'asked 0': races.length === 0 ? 'met' : 'MISSED',
  };
}
