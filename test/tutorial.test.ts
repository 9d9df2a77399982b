/** docs/tutorial.md is true: its files make the project, its commands find what it shows, its line mends it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deadheat, PROJECT } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const tutorial = readFileSync(join(PROJECT, 'docs', 'tutorial.md'), 'utf8');

/** Each file's name stands above the block with what is in it. */
const files = new Map(
  [...tutorial.matchAll(/^`([\w.-]+)`:\n\n```\w+\n(.*?)```/gms)].map(
    ([, name, text]) => [name!, text!] as const,
  ),
);
const mended = /becomes\n\n```make\n(.*?)```/s.exec(tutorial)![1]!;
const shown = (pattern: RegExp): string => pattern.exec(tutorial)![0];

it('does as the tutorial says', () => {
  const cwd = scratchFolder();
  for (const [name, text] of files) writeFileSync(join(cwd, name), text);
  expect([...files.keys()]).toEqual(['Makefile', 'gen-version.sh', 'version.c', 'main.c']);

  const found = deadheat(['procs', '-q', '--', 'make', '-j4'], { cwd });
  // Which of the two is told, and which ends in the same way, is a matter of chance.
  expect(found.stdout).toMatch(
    /^R\d \[harmful\] cc1 (looks up|reads) version\.h while sh (creates|writes) it$/m,
  );
  expect(found.stdout).toContain(shown(/✖ exit status 2 instead of 0\n/));
  expect(found.stdout).toContain(shown(/\n {4}Hint: .*\n/));
  expect(found.status).toBe(66);

  const again = deadheat(
    ['replay', '-q', 'procs-1', /replay procs-1 (R\d)/.exec(found.stdout)![1]!],
    { cwd },
  );
  expect(again.stdout + again.stderr).toContain(shown(/\nversion\.c:1:10: fatal error.*\n/));

  const makefile = files.get('Makefile')!;
  const last = makefile.trimEnd().split('\n').at(-1)!;
  writeFileSync(join(cwd, 'Makefile'), makefile.replace(`${last}\n`, mended));
  const then = deadheat(['procs', '-q', '--', 'make', '-j4'], { cwd });
  expect(then).toMatchObject({ status: 0 });
});
