/**
 * The racy examples in figures, as table 5 of the RacePro paper has them for its bugs:
 *
 *   processes, calls, resources     in the recording; resources are all things that calls touch: names,
 *                                   files, processes, streams, …
 *   detected                        races that were found and are put to trial
 *   diverged, benign, harmful       what these came out as
 *   set aside, not tried            left out because nobody could see a difference; because of the time
 *   record, replay                  how long the program took while it was recorded, and the recorded
 *                                   order once more
 *   generate, validate              how long the branch of a race, and its verdict, took on average
 *
 * The table of all of them is put into docs/examples-table.md as well; a part of an example's name measures only that
 * one.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { timeBranches } from './branches.ts';
import { exampleNames, runExample } from './example-runs.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen, eachOnItsOwn } from './measure.ts';
import { triedRaces, type ValidatedRun } from './validated-run.ts';

const BUDGET = '8s';
const TABLE = join(process.cwd(), 'docs', 'examples-table.md');

export async function run(words: readonly string[]): Promise<void> {
  const names = chosen(exampleNames(), words);
  const rows: TableRow[] = [];
  await eachOnItsOwn(names, (name) => {
    console.error(name);
    // One race at a time, so that they do not disturb each other's times.
    rows.push(rowOf(name, runExample(name, BUDGET, 1)));
  });
  const table = markdownTable(rows);
  console.log(table);
  // A part of the table would take the place of the whole one.
  const isWhole = rows.length === exampleNames().length;
  if (isWhole) writeFileSync(TABLE, `${INTRODUCTION}\n${table}\n${EXPLANATION}`);
}

function rowOf(
  name: string,
  { report: { stats }, validation, analysis, recordedMs }: ValidatedRun,
): TableRow {
  const { records, timeline, races } = analysis;
  const tried = triedRaces(validation);
  const isLeft = (_: unknown, index: number): boolean => !(`R${index + 1}` in validation.races);
  const left = races.filter(isLeft).length;
  const { eachMs } = timeBranches(records, timeline, races);
  const came = (verdict: string): number => tried.filter((one) => one.verdict === verdict).length;
  const things = timeline.steps.flatMap(({ operations }) =>
    operations.map(({ thing }) => thing.key),
  );
  return {
    example: name,
    processes: records.filter((record) => record.kind === 'start' && record.how !== 'thread')
      .length,
    calls: records.filter(({ kind }) => kind === 'call').length,
    resources: new Set(things).size,
    detected: tried.length + left,
    diverged: came('diverged'),
    benign: came('benign'),
    harmful: came('harmful'),
    'set aside': Number(stats.withoutConsequence ?? 0),
    'not tried': left,
    'record ms': recordedMs.toFixed(0),
    'replay ms': validation.recordedOrder ?? '–',
    'generate ms': mean(eachMs)?.toFixed(2) ?? '–',
    'validate ms': mean(tried.map(({ milliseconds }) => milliseconds))?.toFixed(0) ?? '–',
  };
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

const INTRODUCTION = `# The examples in figures

Made by \`npm run bench -- examples\` on a machine with ${availableParallelism()} processors; not written by hand. Each
racy program of [examples/procs](../examples/procs) was recorded once, and its races were tried for at most
${BUDGET}, one at a time. The columns are those of table 5 in the RacePro paper.
`;

const EXPLANATION = `
- **processes**, **calls**, **resources**: in the recording. Resources are all things that calls touch: names,
  files, processes, streams and the like.
- **detected**: races that were found and are worth a trial; **set aside** are those of which nobody could
  see a difference, which \`--all\` would try as well.
- **diverged**, **benign**, **harmful**: what they came out as (see [process races](process-races.md));
  **not tried**: there was no time left. Harmful races that end in the same way count one by one here;
  a report tells them as one.
- **record**: how long the program took while it was recorded. **replay**: how long the recorded order
  took once more, with setting up and clearing the sandbox. **generate**: making the execution branch of a
  race, on average. **validate**: reaching the verdict on a race, on average; a harmful race takes at least
  two runs.
`;
