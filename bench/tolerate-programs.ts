/**
 * How much longer programs take whose sections are isolated, beside how much of their work lies in sections. What it
 * takes to find sections and to make clones comes once, before the program starts, and is told by itself.
 */
import { IsolatedProgram } from '../test/harness/isolated-program.ts';
import { metOrMissed } from './asked.ts';
import { plotPrograms } from './comparison.ts';
import { AGAIN, interleaved, type Ratios, spread } from './interleaved.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen, milliseconds } from './measure.ts';
import { roundsIn } from './sampled-work.ts';
import { sectionShare } from './section-share.ts';
import { TIMED, timed } from './timed-command.ts';
import { LOCK_BOUND, type ToleratedWork, toleratedWork } from './tolerated-work.ts';
import type { Spent } from './turns.ts';

const ROUNDS = 9;
const ASKED = 1.1;
const NATIVE = 'native';
const ISOLATED = 'isolated';

export async function programs(folder: string, words: readonly string[]): Promise<void> {
  const work = toleratedWork(folder);
  const rows: TableRow[] = [];
  const measured = new Map<string, Ratios>();
  for (const name of chosen([...work.keys()], words)) {
    const { isolated, row } = await slowdown(folder, work.get(name)!, roundsIn(words, ROUNDS));
    measured.set(name, isolated);
    rows.push({ program: name, ...row });
  }
  console.log(markdownTable(rows));
  plotPrograms(
    'with isolated sections',
    new Map([...measured].map(([name, isolated]) => [`${name}, isolated`, isolated])),
  );
  const asked = [...measured].flatMap(([name, { ratio }]) => (LOCK_BOUND.has(name) ? [] : [ratio]));
  if (asked.length === 0) return;
  const average = asked.reduce((sum, ratio) => sum + ratio, 0) / asked.length;
  console.log(
    `\nthose that compute, on average: ${average.toFixed(3)}; asked ${ASKED}: ${metOrMissed(average <= ASKED)}`,
  );
}

async function slowdown(
  folder: string,
  { command, small }: ToleratedWork,
  rounds: number,
): Promise<{ isolated: Ratios; row: TableRow }> {
  const [path = ''] = command;
  let program!: IsolatedProgram;
  const preparing = milliseconds(() => {
    program = new IsolatedProgram(path, folder);
  });
  const timedWith = (variables: Readonly<Record<string, string>>): Spent => {
    const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return timed([...TIMED, 'env', ...set, ...command], folder);
  };
  const ratios = await interleaved(
    new Map([
      [NATIVE, () => timedWith({})],
      [ISOLATED, () => program.within({}, timedWith)],
    ]),
    rounds,
  );
  const [{ ms }, again, isolated] = [NATIVE, `${NATIVE}${AGAIN}`, ISOLATED].map(
    (way) => ratios.get(way)!,
  ) as [Ratios, Ratios, Ratios];
  const row = {
    'native ms': ms.toFixed(0),
    'in sections': `${(100 * sectionShare(small, folder)).toFixed(2)} %`,
    sections: program.sections,
    isolated: program.isolated,
    ...{ slowdown: isolated.ratio.toFixed(3), 'half of the rounds': spread(isolated) },
    ...{ lowest: isolated.lowest.toFixed(3), 'processor time': isolated.processor.toFixed(3) },
    ...{ 'native again': again.ratio.toFixed(3), 'half of these': spread(again) },
    'to prepare, ms': preparing.toFixed(0),
  };
  return { isolated, row };
}
