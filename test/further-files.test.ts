/** Descriptors beyond the standard ones: a program that runs once more has those that can be had. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, type Ended, LAUNCHER, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** What bash says when deadheat records a program that is given these. */
function recorded(cwd: string, redirections: string, program: string): Ended {
  const command = `"${LAUNCHER}" record -q -- bash -c '${program}'`;
  return runToEnd('bash', ['-c', `exec ${redirections}; ${command}`], { cwd });
}

it('files are opened again where they were left, and share their places as before', () => {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'list'), 'one\ntwo\nthree\nfour\nfive\n');
  const program = 'read -u 8 a; read -u 9 b; read -u 7 c; read d; echo $a $b $c $d >&5; echo e >&6';
  const redirections = '7<list 8<list; read -u 8; exec 9<&8 <list; read; exec 5>&1 6>&2';
  const ended = recorded(cwd, redirections, program);
  expect(ended).toMatchObject({ stdout: 'two three one two\n', stderr: 'e\n', status: 0 });
  expect(deadheat(['replay', '-q'], { cwd })).toEqual(ended);
});

it('many of them keep their numbers', () => {
  const cwd = scratchFolder();
  const numbers = Array.from({ length: 40 }, (_, index) => 10 + index);
  for (const number of numbers) writeFileSync(join(cwd, `${number}`), `-${number}\n`);
  const redirections = numbers.map((number) => `${number}<${number}`).join(' ');
  const program = 'for n in {10..49}; do read -u $n line; echo $n$line; done';
  const ended = recorded(cwd, redirections, program);
  expect(ended.stdout).toBe(numbers.map((number) => `${number}-${number}\n`).join(''));
  expect(deadheat(['replay', '-q'], { cwd })).toEqual(ended);
});

it('those that are gone are named', () => {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'list'), 'one\n');
  recorded(cwd, '7<list', 'cat <&7');
  rmSync(join(cwd, 'list'));
  expect(deadheat(['replay', '-q'], { cwd })).toMatchObject({
    status: 2,
    stderr: `deadheat: cannot open ${cwd}/list, which the program had as descriptor 7; put it back, or record the program again\n`,
  });
});

it('those that belong to others are told of if the program goes astray', () => {
  const cwd = scratchFolder();
  const racy = 'mkdir d & { sleep 0.1; echo x >d/f; } & wait';
  const program = `read -u 7 line; [ "$line" = said ] && { ${racy}; }; :`;
  expect(recorded(cwd, '7< <(echo said)', program).status).toBe(0);
  const { stdout } = deadheat(['validate', '-q', '--json', '-'], { cwd });
  const { warnings = [] } = JSON.parse(stdout) as Report;
  expect(warnings[0]).toMatch(/^the recorded order could not be repeated: /);
  expect(warnings[1]).toMatch(
    /^it was given descriptor (.*, )?7\b.*; when it is run again, \/dev\/null is there$/,
  );
});
