import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseElf } from '../elf/elf-file.ts';
import { readRelocations } from '../elf/relocations.ts';
import { functionIndex } from '../elf/symbol-index.ts';
import { imageAddress } from '../image-address.ts';
import { compiled } from '../testdata/compiled.ts';
import { readEhFrame } from './eh-frame.ts';
import { type ExceptTable, parseExceptTable, readExceptTable } from './except-table.ts';

const OPTIONS = ['-std=c++14', '-w', '-O1'];

/** The table of the function with that name. */
function tableOf(name: string, ...options: string[]): ExceptTable {
  const elf = parseElf(readFileSync(compiled('exceptions.cc', ...OPTIONS, ...options)));
  const functions = functionIndex(elf);
  const { fdes } = readEhFrame(elf);
  const fde = fdes.find(({ start }) => functions.find(start)?.name === name)!;
  return readExceptTable(elf, fde.lsda!, fde.start);
}

/** What a call site tries, one after the other. */
function filtersFrom(table: ExceptTable, action: number): number[] {
  const filters: number[] = [];
  for (let at: number | undefined = action || undefined; at !== undefined; ) {
    const found = table.actions.get(at)!;
    filters.push(found.filter);
    at = found.next;
  }
  return filters;
}

describe('exception tables', () => {
  it('of nested blocks have chains of types, and cleanups', () => {
    const table = tableOf('_Z6nestedi');
    const chains = table.callSites.map(({ action }) => filtersFrom(table, action));
    const longest = chains.reduce((a, b) => (a.length >= b.length ? a : b));
    // int, string; then Base and exception of the outer block; then the cleanup.
    expect(longest).toHaveLength(5);
    expect(new Set(longest.slice(0, 4))).toEqual(new Set([1, 2, 3, 4]));
    expect(longest[4]).toBe(0);
    expect(table.types).toHaveLength(4);
    for (const { start, end, landingPad } of table.callSites) {
      expect(start).toBeLessThan(end);
      if (landingPad !== undefined) expect(landingPad).toBeGreaterThan(start);
    }
  });

  it('of an exception specification have a negative filter, and the types it names', () => {
    const table = tableOf('_Z9specifiedi');
    const filters = [...table.actions.values()].map(({ filter }) => filter);
    expect(Math.min(...filters)).toBe(-1);
    expect(table.types).toHaveLength(2);
    expect([...table.specificationBytes]).toEqual([1, 2, 0]);
  });

  it('name types by what the loader puts into slots, or by their addresses', () => {
    const elf = parseElf(readFileSync(compiled('exceptions.cc', ...OPTIONS)));
    const slots = new Set(readRelocations(elf).map(({ place }) => place as number));
    let types = 0;
    for (const { lsda, start } of readEhFrame(elf).fdes) {
      const table = lsda && readExceptTable(elf, lsda, start);
      for (const type of table?.types ?? []) {
        if (type === undefined) continue;
        types++;
        expect(type.isIndirect).toBe(true);
        expect(slots.has(type.target)).toBe(true);
      }
    }
    expect(types).toBeGreaterThan(10);
    const direct = tableOf('_Z6nestedi', '-no-pie', '-fno-pie').types;
    expect(direct.every((type) => type?.isIndirect === false)).toBe(true);
  });
});

const parse = (...bytes: number[]): ExceptTable =>
  parseExceptTable(Uint8Array.from(bytes), imageAddress(0x5000), imageAddress(0x1000));

describe('rare forms', () => {
  it('reads landing pads that are not relative to the function', () => {
    // udata4 0x3000; no types; call sites in udata4.
    const site = [0x10, 0, 0, 0, 4, 0, 0, 0, 0x20, 0, 0, 0, 0];
    const table = parse(0x03, 0, 0x30, 0, 0, 0xff, 0x03, site.length, ...site);
    expect(table.callSites).toEqual([
      { start: 0x1010, end: 0x1014, landingPad: 0x3020, action: 0 },
    ]);
  });

  it('does not follow a circle of actions for ever', () => {
    // Filter 0, then back by one: to itself.
    const table = parse(0xff, 0xff, 0x01, 4, 1, 1, 1, 1, 0, 0x7f);
    expect([...table.actions.values()]).toEqual([{ at: 1, filter: 0, next: 1 }]);
  });

  it('refuses what does not fit together', () => {
    expect(() => parse(0xff, 0xff, 0x01, 3, 1, 1, 1, 1)).toThrow('do not end where they should');
    expect(() => parse(0xff, 0xff, 0x01, 4, 1, 1, 1, 1, 0, 0x7e)).toThrow('before the first');
    expect(() => parse(0xff, 0xff, 0x01, 4, 1, 1, 1, 1, 1, 0)).toThrow('but no types');
    expect(() => parse(0xff, 0x1b, 9, 0x01, 4, 1, 1, 1, 1, 9, 0, 0)).toThrow('room for 9 types');
    expect(() => parse(0xff, 0x01, 9, 0x01, 4, 1, 1, 1, 1, 1, 0, 0)).toThrow('no fixed size');
    expect(() => parse(0xff, 0xff, 0x01, 100)).toThrow('in mid-value');
  });
});
