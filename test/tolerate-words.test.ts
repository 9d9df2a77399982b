import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentLibrary } from '../src/linux/agent-library.ts';
import { resolveAtExit } from '../src/tolerate/oracle.ts';
import type { RaceClass } from '../src/tolerate/race-class.ts';
import { STUB_SLOTS_SIZE } from '../src/tolerate/rewrite/stubs.ts';
import { toleratedProgram } from './harness/tolerated-program.ts';

const inAgent = (file: string): string =>
  new URL(`../agent/tolerate/${file}`, import.meta.url).pathname;
const WORDS = inAgent('private-words.c');
const IN_C = [
  ...['private-words.c', 'copied-memory.c', 'checked-memory.c'],
  ...['sections.c', 'stack.c', 'devices.c'],
];
const output = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8' });

/** enum deadheat_race_class */
const CLASSES: readonly (RaceClass | undefined)[] = [
  ...[undefined, 'I', undefined, 'III', 'IVa', 'IVb', 'IVc'],
] as readonly (RaceClass | undefined)[];

describe('private words', () => {
  it('are as good as memory to a section that is alone', () => {
    const program = toleratedProgram('words.c', WORDS);
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(output(program, String(seed))).toBe('as memory itself\n');
      }),
      { numRuns: 8 },
    );
  });

  it('are resolved as the oracle has it, of all sizes and at all places', () => {
    const lines = output(toleratedProgram('words.c', WORDS)).trim().split('\n');
    expect(lines.length).toBe(15 * 12);
    for (const line of lines) {
      const [reads, writes, changes, blind, left, told, race, tolerated] = line.split(' ');
      const known = {
        readsFirst: reads === '1',
        writes: writes === '1',
        isChanged: changes === '1',
      };
      const wanted = resolveAtExit({ ...known, mayDepend: blind === '0' });
      expect(`${line}: ${left}`).toBe(`${line}: ${wanted.value}`);
      expect(Number(told)).toBe(known.isChanged ? 1 : 0);
      if (!known.isChanged) continue;
      expect(wanted.races).toContain(CLASSES[Number(race)]);
      expect(tolerated === '1').toBe(wanted.isTolerated);
    }
  });

  it('are left as they would be without copies if others seem to come both before and after', () => {
    // What writes blindly comes after sections in any case.
    expect(output(toleratedProgram('words.c', WORDS), 'two').trim().split('\n')).toEqual([
      'blind 0: 3 races, 0 tolerated, left 3 2 2',
      'blind 1: 3 races, 3 tolerated, left 3 3 3',
    ]);
  });
});

describe('private words that stay when an inner lock is taken or let go of', () => {
  const KEPT = 'told class 4: 5 became 9, ours 5';

  it('are compared with memory if they are used again, and never build on what they have not seen', () => {
    expect(output(toleratedProgram('kept-words.c', WORDS)).trim().split('\n')).toEqual([
      'given back to the kernel by whoever has it now: 5, told nothing, left 0',
      'written by whoever has it now: -1, told nothing, left 0',
      'used again: 315, told class 4: 7 became 70, ours 7, left 0',
      'three locks: 12, told class 4: 10 became 2, ours 10, left 0',
      `only read: 9, ${KEPT}, left 0`,
      `only read, and changed again: 11, ${KEPT} class 4: 5 became 11, ours 5, left 0`,
      `read, and set when theirs was kept: 9, ${KEPT} class 6: 5 became 9, ours 6, intolerable, left 0`,
      'lost twice: 9, told class 6: 5 became 9, ours 6, intolerable class 6: 5 became 9, ours 7, intolerable, left 0',
      'the same, of blind others: 11, told class 1: 5 became 9, ours 5 class 3: 5 became 11, ours 6, left 0',
      'and afterwards: 11, told nothing, left 0',
    ]);
  });
});

describe('stubs of the library', () => {
  it('know the same of words as what is written in C', () => {
    const parts = ['lookup.S', ...IN_C].map(inAgent);
    const program = toleratedProgram('lookup.c', ...parts);
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(output(program, String(seed))).toBe('the same\n');
      }),
      { numRuns: 8 },
    );
  });
});

describe('memcpy and its kin on private words', () => {
  it('do as those of libc, and touch nothing else', () => {
    const parts = IN_C.map(inAgent);
    const program = toleratedProgram('memory.c', ...parts, '-fno-builtin');
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(output(program, String(seed))).toBe('as libc\n');
      }),
      { numRuns: 20 },
    );
  });
});

describe('deadheat/tolerate.h', () => {
  it.each([[[]], [['-x', 'c++']]])(
    'keeps sections apart from those who ignore the lock %s',
    (flags) => {
      const program = toleratedProgram('header.c', ...flags, '-Wextra', '-Werror');
      expect(output(program)).toBe('torn 0, shapes 1, told 1\n');
    },
  );

  it('is what makes the difference', () => {
    expect(output(toleratedProgram('header.c'), 'natively')).not.toMatch(/^torn 0,/);
  });
});

describe('the library in the program', () => {
  it('has the stubs that clones count on', () => {
    const library = agentLibrary('tolerate');
    const symbols = execFileSync('nm', [library], { encoding: 'utf8' });
    const addressOf = (name: string): number =>
      Number.parseInt(new RegExp(`^([0-9a-f]+) . ${name}$`, 'm').exec(symbols)![1]!, 16);
    expect(addressOf('dh_stubs_end') - addressOf('dh_stubs')).toBe(STUB_SLOTS_SIZE);
  });

  it('shows none of its names to the program but those that it stands in for', () => {
    const library = agentLibrary('tolerate');
    const shown = output('nm', '-D', '--defined-only', '--format=just-symbols', library);
    expect(shown.trim().split('\n')).toEqual(['mmap', 'mmap64', 'mremap', 'munmap']);
  });
});
