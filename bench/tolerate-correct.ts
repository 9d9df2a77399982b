/** In how many runs correct programs print what they print natively, with their sections isolated. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  CORRECT_PROGRAMS,
  compareRuns,
  FURTHER_PROGRAMS,
} from '../test/harness/correct-programs.ts';
import { metOrMissed } from './asked.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen } from './measure.ts';
import { roundsIn } from './sampled-work.ts';

const RUNS = 1000;
/** Of what a different run has said: characters. */
const MOST_TOLD = 4000;

export function correct(folder: string, words: readonly string[]): void {
  const all = new Map([...CORRECT_PROGRAMS, ...FURTHER_PROGRAMS]);
  const runs = roundsIn(words, RUNS);
  const rows: TableRow[] = [];
  for (const name of chosen([...all.keys()], words)) {
    const own = mkdtempSync(join(folder, 'correct-'));
    const { program, same, other, told } = compareRuns(all.get(name)!, own, runs);
    if (other)
      console.error(
        `${name}, one that was different: ${JSON.stringify(other).slice(0, MOST_TOLD)}`,
      );
    rows.push({
      program: name,
      sections: program.sections,
      isolated: program.isolated,
      runs,
      'as natively': same,
      'told of a race': told,
      'asked all': metOrMissed(same === runs),
    });
    rmSync(own, { recursive: true, force: true });
  }
  console.log(markdownTable(rows));
}
