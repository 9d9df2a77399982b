/**
 * How fast samples are analysed, and in how much memory: logs of synthetic-samples.ts, each row in a process of its
 * own. Asked: 10 million samples in under 60 s and 4 GB. Other numbers of samples may be given:
 * `npm run bench -- sample analysis 1000000`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { analyseSamples } from '../src/sample/analyse/analyse.ts';
import { milliseconds } from './measure.ts';
import { writeSyntheticSamples } from './synthetic-samples.ts';

const USUAL_SIZES = [100_000, 1_000_000, 10_000_000];

interface Row {
  readonly milliseconds: number;
  readonly megabytes: number;
  readonly accesses: number;
  readonly shared: number;
  readonly races: number;
}

export function analysis(folder: string, words: readonly string[]): void {
  const given = words.filter((word) => /^\d+$/.test(word)).map(Number);
  console.log('   samples   accesses     shared   seconds  memory MB   races');
  for (const samples of given.length > 0 ? given : USUAL_SIZES) {
    const place = join(folder, `synthetic-${samples}`);
    mkdirSync(place);
    const run = writeSyntheticSamples(place, samples);
    const row = inOwnProcess(run);
    rmSync(place, { recursive: true, force: true });
    console.log(
      String(samples).padStart(10),
      String(row.accesses).padStart(10),
      String(row.shared).padStart(10),
      (row.milliseconds / 1000).toFixed(1).padStart(9),
      String(row.megabytes).padStart(10),
      String(row.races).padStart(7),
    );
  }
}

function inOwnProcess(run: string): Row {
  const script = `import { printRow } from ${JSON.stringify(import.meta.url)}; printRow(process.argv[1]);`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script, run], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Row;
}

/** What the process of a row does. */
export function printRow(run: string): void {
  let row = { accesses: 0, shared: 0, races: 0 };
  const spent = milliseconds(() => {
    const { stats, races } = analyseSamples([{ name: 'run', folder: run }], { symbols: [] });
    row = {
      ...{ accesses: stats.samples.accesses, shared: stats.sharedAccesses, races: races.length },
    };
  });
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ ...row, milliseconds: spent, megabytes }));
}
