/** A program that writes a million files: recorded, analysed, and not one of them left in the folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LAUNCHER } from '../harness/deadheat.ts';
import { scratchFolder } from '../harness/scratch.ts';

const FILES = 1_000_000;

const PROGRAM = `
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  char path[64];
  for (int i = 0; i < ${FILES}; i++) {
    if (i % 1000 == 0) { sprintf(path, "%d", i / 1000); mkdir(path, 0755); }
    sprintf(path, "%d/%d", i / 1000, i);
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0644);
    if (write(file, "x", 1) != 1) return 1;
    close(file);
  }
}
`;

it('a million files', () => {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'many.c'), PROGRAM);
  execFileSync('cc', ['-O2', '-o', 'many', 'many.c'], { cwd });
  const run = (...args: string[]) => spawnSync(LAUNCHER, args, { cwd, encoding: 'utf8' });
  const recorded = run('record', '-o', 'run', '--', './many');
  expect(recorded.stderr).toContain('recorded in');
  expect(recorded.status).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(['many', 'many.c', 'run']);
  const detected = run('detect', join(cwd, 'run'));
  expect(detected.stdout).toContain('reported 0 races');
  expect(detected.status).toBe(0);
});
