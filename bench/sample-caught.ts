/** The programs of examples/sample: how soon their races are caught, and what is reported where there are none. */
import { join } from 'node:path';
import {
  compileSampled,
  placesOf,
  type SampleExample,
  sampleExamplesIn,
} from '../test/harness/sample-examples.ts';
import { pairOf } from '../test/harness/thread-scenarios.ts';
import { metOrMissed } from './asked.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen, median } from './measure.ts';
import { sampledReport } from './sampled-report.ts';
import { roundsIn } from './sampled-work.ts';

const RUNS = 10;
const ASKED_SHARE = 0.9;
/** Accesses that are known of, for each that was sampled itself: what extension gains. */
const ASKED_ACCESSES = 4;
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
  /** By the two lines: which variable they race about. */
  const truth = new Map(expected.races.map(({ variable, lines }) => [pairOf(lines), variable]));
  const [gains, accesses]: [number[], number[]] = [[], []];
  const variables = [...new Set(truth.values())];
  /** After how many seconds each was caught, and in how many runs each pair of lines was. */
  const after = new Map(variables.map((variable) => [variable, [] as number[]]));
  const seen = new Map([...truth.keys()].map((pair) => [pair, 0]));
  let others = 0;
  for (let time = 0; time < runs; time++) {
    let spent = 0;
    const left = new Set(variables);
    const pairs = new Set<string>();
    for (const seconds of SECONDS) {
      spent += seconds;
      const { races, stats } = sampledReport(folder, [program, `${seconds}`]);
      gains.push(Number(stats.gainOfExtension));
      accesses.push(Number(stats.accessesPerInterrupt));
      for (const race of races) {
        const pair = placesOf(race, expected.racy!);
        const variable = truth.get(pair);
        if (variable === undefined) others++;
        else {
          pairs.add(pair);
          if (left.delete(variable)) after.get(variable)!.push(spent);
        }
      }
      if (left.size === 0) break;
    }
    for (const pair of pairs) seen.set(pair, seen.get(pair)! + 1);
  }
  const each = (tell: (times: readonly number[]) => string): string =>
    [...after].map(([variable, times]) => `${variable}: ${tell(times)}`).join(', ');
  const isCaught = [...after.values()].every((times) => times.length >= ASKED_SHARE * runs);
  const gain = median(gains);
  const within = SECONDS.reduce((sum, one) => sum + one);
  return {
    example: example.name,
    [`each race caught within ${within} s`]: each((times) => `${times.length} of ${runs}`),
    'median s': each((times) => (times.length > 0 ? `${median(times)}` : '-')),
    [`asked ${ASKED_SHARE * 100} %`]: metOrMissed(isCaught),
    'by then, of its pairs of lines': [...seen]
      .map(([pair, times]) => `${pair}: ${times}`)
      .join(', '),
    'reports that are no race': others,
    'accesses for each sampled instruction': gain.toFixed(2),
    [`asked ${ASKED_ACCESSES}`]: metOrMissed(gain >= ASKED_ACCESSES),
    'for each signal': median(accesses).toFixed(2),
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
    'asked 0': metOrMissed(races.length === 0),
  };
}
