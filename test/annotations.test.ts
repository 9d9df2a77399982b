/** include/deadheat.h: programs say what deadheat cannot see. */
import { describe, expect, it } from 'vitest';
import { compiledFile } from './harness/cloned-run.ts';
import { deadheat, type Ended, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

function compiled(source: string, ...flags: string[]): string {
  const path = new URL(`./annotations/${source}`, import.meta.url).pathname;
  return compiledFile(path, '-O1', '-Wall', '-Wextra', '-Werror', `-I${PROJECT}include`, ...flags);
}

const predicted = (program: string): Ended =>
  deadheat(['threads', '-q', '--no-confirm', '--', program], { cwd: scratchFolder() });

describe.each([
  ['that can be loaded anywhere', '-fPIE', '-pie'],
  ['with addresses of its own', '-fno-PIE', '-no-pie'],
])('a program %s', (_, compile, link) => {
  it('runs as it is without deadheat', () => {
    const program = compiled('token.c', '-DTOLD', compile, link);
    const { status, stdout } = runToEnd(program, [], { cwd: scratchFolder() });
    expect([status, stdout]).toEqual([0, 'counter 6\n']);
  });

  it('has a lock of its own that deadheat is told of', () => {
    expect(predicted(compiled('token.c', compile, link)).stdout).toContain('data race');
    const told = predicted(compiled('token.c', '-DTOLD', compile, link));
    expect(told.stdout).toContain('reported 0 races');
    expect(told.status).toBe(0);
  });

  it('still has a race where the lock is not taken', () => {
    const program = compiled('token.c', '-DTOLD', '-DFORGETS', compile, link);
    const { status, stdout } = deadheat(['threads', '-q', '--', program], { cwd: scratchFolder() });
    expect(stdout).toContain('[confirmed]');
    expect(status).toBe(66);
  });

  it('says what it hands over', () => {
    expect(predicted(compiled('message.c', compile, link)).stdout).toContain('reported 0 races');
  });
});
