import { describe, expect, it } from 'vitest';
import { imageAddress } from '../image-address.ts';
import { compiled } from '../testdata/compiled.ts';
import { debugInfoOf, debugSectionsOf } from '../testdata/debug-info-of.ts';
import { DebugInfo } from './debug-info.ts';

const C_DATA = 'shared-data.c';
const CPP_DATA = 'shared-data.cc';
const INDEXED = 'indexed.s';

/** What a variable's bytes are called, without the variable's name: each name once, `!` if it is atomic. */
function partsOf(info: DebugInfo, name: string): string[] {
  const variable = info.variables().find((one) => one.name === name)!;
  const parts = Array.from({ length: variable.size }, (_, i) => {
    const { text, isAtomic } = info.dataAt(imageAddress(variable.address + i))!;
    return text.slice(name.length) + (isAtomic ? '!' : '');
  });
  return [...new Set(parts)];
}

const slotParts = (slot: number, owner: string): string[] => [
  ...Array.from({ length: 8 }, (_, i) => `.slots[${slot}].name[${i}]`),
  `.slots[${slot}].owner${owner}`,
];

describe('variables of C', () => {
  const info = (...options: string[]): DebugInfo => debugInfoOf(compiled(C_DATA, ...options));

  it('have names down to their members and elements', () => {
    const found = info('-gdwarf-5');
    expect(partsOf(found, 'queue')).toEqual([
      '.length',
      '.head!',
      ...[0, 1, 2].flatMap((slot) => slotParts(slot, '!')),
      '.(isReady|isDone)',
      '',
      '.(number|fraction)',
      '.side.(left|right)',
    ]);
    expect(partsOf(found, 'grid')).toEqual(
      [0, 1, 2].flatMap((row) => [0, 1, 2, 3].map((column) => `[${row}][${column}]`)),
    );
    expect(partsOf(found, 'many').slice(-1)).toEqual(['[1].side.(left|right)']);
    expect(partsOf(found, 'plain')).toEqual(['']);
    expect(partsOf(found, 'next_id::last')).toEqual(['']);
    expect(found.problems).toEqual([]);
  });

  it('that are atomic are known as such', () => {
    const found = info('-gdwarf-5');
    for (const name of ['counter', 'busy', 'noted', 'current'])
      expect([name, ...partsOf(found, name)]).toEqual([name, '!']);
    const atomicBytes = found.atomicRanges().reduce((sum, { low, high }) => sum + high - low, 0);
    expect(atomicBytes).toBe(3 * (4 + 3 * 8) + 4 + 1 + 4 + 8);
  });

  it.each([2, 3, 4])(
    'in DWARF %i, which has no word for it, by the names of <stdatomic.h>',
    (version) => {
      const found = info(`-gdwarf-${version}`);
      expect(partsOf(found, 'counter')).toEqual(['!']);
      expect(partsOf(found, 'noted')).toEqual(['!']);
      // atomic_flag is a structure without a name there.
      expect(partsOf(found, 'busy')).toEqual(['.__val']);
      expect(partsOf(found, 'current')).toEqual(['']);
      expect(partsOf(found, 'queue').slice(0, 11)).toEqual([
        '.length',
        '.head',
        ...slotParts(0, '!'),
      ]);
    },
  );

  it('of a thread have no address', () => {
    const names = info('-gdwarf-5')
      .variables()
      .map(({ name }) => name);
    expect(names).toContain('plain');
    expect(names).not.toContain('own');
    expect(
      info('-gdwarf-3')
        .variables()
        .map(({ name }) => name),
    ).not.toContain('own');
  });

  it('are known also from type units', () => {
    const found = info('-gdwarf-5', '-fdebug-types-section');
    expect(partsOf(found, 'queue').slice(0, 2)).toEqual(['.length', '.head!']);
    expect(info('-gdwarf-4', '-fdebug-types-section').problems).toEqual([]);
  });
});

describe.each([4, 5])('variables of C++ in DWARF %i', (version) => {
  it('have names with their scopes, and know std::atomic', () => {
    const found = debugInfoOf(compiled(CPP_DATA, `-gdwarf-${version}`));
    expect(partsOf(found, 'jobs::queue')).toEqual(['.next', '.head!', '.size', '.busy!', '']);
    expect(partsOf(found, 'jobs::table')).toEqual(['[0]!', '[1]!', '[2]!', '[3]!']);
    expect(partsOf(found, 'jobs::Queue<int>::total')).toEqual(['!']);
    expect(partsOf(found, 'jobs::Queue<int>::made')).toEqual(['!']);
    expect(partsOf(found, 'jobs::(anonymous namespace)::hidden')).toEqual(['']);
    expect(partsOf(found, 'jobs::Worker::count')).toEqual(['']);
  });
});

describe('functions', () => {
  it('are those that have code', () => {
    const found = debugInfoOf(compiled('inlined-calls.c', '-g', '-O2'));
    const names = found.functions().map(({ name }) => name);
    expect(names.sort()).toEqual(['dropped', 'main', 'work']);
  });

  it('of C++ have names with their scopes', () => {
    const names = debugInfoOf(compiled(CPP_DATA, '-g'))
      .functions()
      .map(({ name }) => name);
    expect(names).toContain('jobs::Worker::run');
    expect(names).toContain('jobs::Queue<int>::push');
    expect(names).toContain('jobs::(anonymous namespace)::add');
  });
});

it('forms that refer to tables, and to files that are not read', () => {
  const found = debugInfoOf(compiled(INDEXED, '-nostdlib', '-no-pie'));
  const start = found.functions()[0]!.ranges[0]!.low;
  const at = (low: number, high: number) => ({ low: start + low, high: start + high });
  expect(found.functions()).toEqual([
    { name: 'split', ranges: [at(0, 2), at(3, 5), at(2, 3)] },
    { name: 'other', ranges: [at(5, 6)] },
  ]);
  const [counter, unnamed] = found.variables();
  expect(counter).toMatchObject({ name: 'counter', size: 4 });
  expect(unnamed).toMatchObject({ name: undefined, size: 4, address: counter!.address + 8 });
  expect(found.dataAt(counter!.address)).toMatchObject({ text: 'counter', isAtomic: true });
  expect(found.dataAt(unnamed!.address)).toMatchObject({ text: '(unnamed)', isAtomic: false });
  expect(found.framesAt(imageAddress(start + 4))).toMatchObject([{ function: 'split', line: 0 }]);
  expect(found.problems).toEqual([]);
});

describe('what is not there', () => {
  const CALLS = 'inlined-calls.c';

  it.each([4, 5])('split DWARF %i: lines are known, and it is told', (version) => {
    const found = debugInfoOf(compiled(CALLS, `-gdwarf-${version}`, '-gsplit-dwarf', '-O2'));
    const main = debugInfoOf(compiled(CALLS, `-gdwarf-${version}`, '-O2'))
      .functions()
      .find(({ name }) => name === 'main')!;
    const [frame] = found.framesAt(imageAddress(main.ranges[0]!.low));
    expect(frame).toMatchObject({ function: undefined, line: 35 });
    expect(frame!.file).toMatch(/\/inlined-calls\.c$/);
    expect(found.variables()).toEqual([]);
    expect(found.problems).toEqual([expect.stringContaining('1 of 1 units keep their debug info')]);
  });

  it('lines without anything else', () => {
    const path = compiled(CALLS, '-gdwarf-5', '-O2');
    const whole = debugInfoOf(path);
    const sections = debugSectionsOf(path);
    const alone = new DebugInfo({ ...sections, debugInfo: undefined });
    for (const { ranges } of whole.functions()) {
      const at = imageAddress(ranges[0]!.low);
      expect(alone.lineAt(at)).toEqual(whole.lineAt(at));
      expect(alone.framesAt(at)).toEqual([{ function: undefined, ...whole.lineAt(at) }]);
    }
    expect(alone.functions()).toEqual([]);
    expect(alone.problems).toEqual([]);
  });

  it('nothing at all', () => {
    const none = debugInfoOf(compiled(CALLS));
    expect(none.lineAt(imageAddress(0x1139))).toBeUndefined();
    expect(none.framesAt(imageAddress(0x1139))).toEqual([]);
    expect(none.dataAt(imageAddress(0x4010))).toBeUndefined();
    expect([none.functions(), none.variables(), none.atomicRanges()]).toEqual([[], [], []]);
    expect(none.problems).toEqual([]);
  });

  it('one damaged unit costs that unit', () => {
    const sections = debugSectionsOf(compiled(CALLS, '-gdwarf-5'));
    const debugInfo = Uint8Array.from(sections.debugInfo!);
    debugInfo[0xc] = 0xff; // The number of the first entry's abbreviation.
    const found = new DebugInfo({ ...sections, debugInfo });
    expect(found.functions()).toEqual([]);
    expect(found.problems).toEqual([
      expect.stringContaining('the entry at 0xc of .debug_info has no'),
    ]);
  });
});
