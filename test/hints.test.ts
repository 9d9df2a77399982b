/** Hints for real programs with well-known mistakes; src/procs/hints/ has tests for each pattern. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { detectRaces } from '../src/procs/detect/detect.ts';
import { buildTimeline } from '../src/procs/detect/timeline.ts';
import { hintFor } from '../src/procs/hints/hints.ts';
import { readTrace } from '../src/trace/reader.ts';
import { deadheat, PROJECT } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** `OBJECT: hint` for each race that has one. */
function hintsFor(command: readonly string[], cwd = scratchFolder()): string[] {
  const { stderr } = deadheat(['record', '-q', '-o', 'run', '--', ...command], { cwd });
  expect(stderr).not.toMatch(/^deadheat:/m);
  const records = [...readTrace(join(cwd, 'run/trace.bin'), { salvage: false })];
  const timeline = buildTimeline(records, cwd);
  const hints = detectRaces(timeline).races.flatMap((race) => {
    const hint = race.withoutConsequence ? undefined : hintFor(race, timeline, cwd);
    return hint === undefined ? [] : [`${race.thing.name.replace(`${cwd}/`, '')}: ${hint}`];
  });
  return [...new Set(hints)].sort();
}

/** A job that stays until it may go has not been collected before, which would order things. */
const STAY = 'mkfifo gate; exec 9<>gate; stay() { read _ <&9; }; go() { echo >&9; wait; }';

const shell = (script: string): string[] => hintsFor(['bash', '-c', `${STAY}; ${script}`]);

function make(...lines: readonly string[]): string[] {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'Makefile'), `${lines.join('\n')}\n`);
  return hintsFor(['make', '-j2'], cwd);
}

const example = (name: string): string => join(PROJECT, 'examples/procs', name);

it('knows what a Makefile lacks', () => {
  expect(hintsFor(['make', '-j2', '-f', example('missing-directory/racy.mk')])).toEqual([
    'obj: make does not know that obj/a.txt needs obj: add it to that rule, `obj/a.txt: | obj`',
  ]);
  const report = make(
    ...[
      'all: table report',
      'table:',
      '\tsleep .5; echo new >table',
      'report:',
      '\t-sort table >report',
    ],
  );
  expect(report).toEqual([
    'table: make does not know that report needs table: add it to that rule, `report: table`',
  ]);
  const twice = make('all: a b', 'a b:', '\tsleep .5; echo a >a; echo b >b');
  expect(twice).toHaveLength(2);
  for (const hint of twice)
    expect(hint).toMatch(/: make runs `sleep .5; echo a >a; echo b >b` twice at the /);
});

it('knows what scripts do', () => {
  expect(hintsFor(['sh', example('lost-update/racy.sh')])).toEqual([
    'counter: hold a lock from reading counter to writing it back, such as `flock` on a file beside it',
  ]);
  expect(shell('echo old >data; { echo new >data; stay; } & cat data; go')).toEqual([
    'data: bash does not wait for the job in the background: put `wait` before cat needs data',
  ]);
  expect(
    shell('seq 9 >list; { sort list; exec >&-; stay; } | { tee list >/dev/null; go; }'),
  ).toEqual([
    expect.stringMatching(/^list: the end of the pipeline empties list .* list.new list`$/),
  ]);
  expect(
    shell('seq 9 >list; echo old >count; tee >(wc -l >count; stay) <list >list2; cat count; go'),
  ).toEqual([expect.stringMatching(/^count: bash does not wait for a process substitution: /)]);
  expect(shell('{ mkdir out; stay; } & mkdir out; go')).toEqual([
    'out: use `mkdir -p out`, which does not mind if it is there, without looking first',
  ]);
  expect(shell('{ echo a 1<>log; stay; } & echo b 1<>log; go')).toEqual([
    'log: open log with O_APPEND (`>>` in a shell) on both sides: then each write goes to its end',
  ]);
});
