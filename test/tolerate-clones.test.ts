import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isolatedRun } from './harness/isolated-run.ts';
import { toleratedProgram as compiled } from './harness/tolerated-program.ts';

const nativeOutput = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8' });

/** So many that others get to run meanwhile. */
const ENTRIES = '20000';

describe('a section in its clone', () => {
  it('sees nothing of those who ignore the lock', () => {
    const run = isolatedRun(compiled('stress.c'), [ENTRIES]);
    expect(run).toMatchObject({ stdout: 'torn 0\n', status: 0, prepared: 1 });
    expect(run.events.length).toBeGreaterThan(0);
    expect(run.events.every(({ race, isTolerated }) => race === 'IVc' && !isTolerated)).toBe(true);
  });

  it('is torn without it', () => {
    const program = compiled('stress.c');
    const isTorn = (): boolean => nativeOutput(program, '100000') !== 'torn 0\n';
    expect(Array.from({ length: 20 }).some(isTorn)).toBe(true);
  });

  it('tolerates all that others did, if these are known not to read first', () => {
    const run = isolatedRun(compiled('stress.c'), [ENTRIES], { isBlind: true });
    expect(run).toMatchObject({ stdout: 'torn 0\n', status: 0 });
    const classes = new Set(run.events.map(({ race, kept }) => `${race} ${kept}`));
    expect([...classes]).toEqual(['III current']);
    expect(run.events.every(({ isTolerated }) => isTolerated)).toBe(true);
  });

  it('ends the program where nothing can be tolerated, if that is wanted', () => {
    const run = isolatedRun(compiled('stress.c'), ['100000'], { halts: true });
    expect(run).toMatchObject({ signal: 'SIGKILL', isHalted: true });
  });
});

describe('a correct program', () => {
  it.each([
    ['-O0'],
    ['-O2'],
    ['-O3', '-march=native'],
    ['-O1', '-no-pie', '-fno-pic'],
    ['-Os', '-fno-plt'],
  ])('does the same with all of its sections in clones (%s %s %s)', (...flags) => {
    const program = compiled('correct.c', ...flags);
    const run = isolatedRun(program, ['300']);
    expect(run).toMatchObject({ status: 0, events: [], prepared: 1, refused: [] });
    expect(run.stdout).toBe(nativeOutput(program, '300'));
  });

  it.each([['-O0'], ['-O2']])(
    'does not wait for ever for those who need no lock (%s)',
    (...flags) => {
      const run = isolatedRun(compiled('waiting.c', ...flags));
      expect(run).toMatchObject({ stdout: 'answered 4, total 2\n', status: 0, prepared: 1 });
    },
  );

  it.each([['-O0'], ['-O2']])('works on what is no memory directly (%s)', (...flags) => {
    const run = isolatedRun(compiled('devices.c', ...flags));
    expect(run).toMatchObject({ stdout: 'more after 1 section\n', status: 0, events: [] });
    expect(run.prepared).toBe(1);
  });

  it('publishes what it has written in the order in which it was', () => {
    const run = isolatedRun(compiled('published.c'), ['300000']);
    expect(run).toMatchObject({ stdout: 'early 0\n', status: 0, events: [], prepared: 1 });
  });

  it.each([['-O0'], ['-O2']])('throws through its sections as before (%s)', (...flags) => {
    const program = compiled('exceptions.cc', ...flags);
    const run = isolatedRun(program);
    expect(run).toMatchObject({ status: 0, events: [], prepared: 1, refused: [] });
    expect(run.stdout).toBe(nativeOutput(program));
  });
});
