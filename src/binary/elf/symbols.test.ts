import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { imageAddress } from '../image-address.ts';
import { compiled, number, toolOutput, withoutSections } from '../testdata/compiled.ts';
import { type ElfFile, parseElf } from './elf-file.ts';
import { readImports } from './imports.ts';
import { readRelocations } from './relocations.ts';
import { functionIndex, variableIndex } from './symbol-index.ts';
import { dynamicSymbols, fullSymbols, type SymbolTable } from './symbols.ts';

const parsed = (path: string): ElfFile => parseElf(readFileSync(path));

/** `readelf -s` without versions: number, address, size, name. */
function shownSymbols(path: string, option: string): string[] {
  const lines = toolOutput('readelf', '-W', option, path).matchAll(
    /^ +(\d+): ([0-9a-f]{16}) +(\S+) \S+ +\S+ +\S+ +\S+ ?([^@\n]*)/gm,
  );
  return [...lines].map(([, index, address, size, name]) =>
    `${index} ${number(address)} ${Number(size)} ${name!.trim()}`.trim(),
  );
}

function readSymbols(table: SymbolTable | undefined): string[] {
  return Array.from({ length: table?.count ?? 0 }, (_, index) => {
    // readelf shows sections by name; their symbols have none.
    const name = table!.type(index) === 3 ? '' : table!.name(index);
    return `${index} ${table!.address(index)} ${table!.size(index)} ${name}`.trim();
  });
}

describe('symbols', () => {
  it.each(['/bin/bash', '/usr/bin/git'])('of %s are those that readelf shows', (path) => {
    const shown = shownSymbols(path, '--dyn-syms');
    expect(shown.length).toBeGreaterThan(100);
    expect(readSymbols(dynamicSymbols(parsed(path)))).toEqual(shown);
  });

  it('are found without section headers', () => {
    for (const option of ['-Wl,--hash-style=gnu', '-Wl,--hash-style=sysv']) {
      const path = compiled('calls.c', '-rdynamic', option);
      const elf = parseElf(withoutSections(path));
      expect(readSymbols(dynamicSymbols(elf))).toEqual(shownSymbols(path, '--dyn-syms'));
      expect(functionIndex(elf).count).toBeGreaterThan(0);
      expect(fullSymbols(elf)).toBeUndefined();
    }
    const exportsNothing = compiled('calls.c', '-Wl,--hash-style=gnu');
    const elf = parseElf(withoutSections(exportsNothing));
    expect(readSymbols(dynamicSymbols(elf))).toEqual(shownSymbols(exportsNothing, '--dyn-syms'));
  });

  it('of functions are found by the addresses inside them', () => {
    const path = compiled('calls.c', '-O1');
    const shown = [
      ...toolOutput('readelf', '-sW', path).matchAll(
        /: ([0-9a-f]{16}) +(\d+) FUNC +\S+ +\S+ +\d+ (\S+)/g,
      ),
    ].map(([, address, size, name]) => ({ at: number(address), size: Number(size), name }));
    const functions = functionIndex(parsed(path));
    const main = shown.find(({ name }) => name === 'main')!;
    expect(functions.find(imageAddress(main.at))).toMatchObject({ name: 'main', offset: 0 });
    const last = imageAddress(main.at + main.size - 1);
    expect(functions.find(last)).toEqual({
      ...{ name: 'main', offset: main.size - 1, start: main.at, size: main.size },
    });
    const add = shown.find(({ name }) => name === 'add')!;
    expect(functions.find(imageAddress(add.at + 1))?.name).toMatch(/^add(_again)?$/);
    expect(functions.find(imageAddress(0))).toBeUndefined();
    const starts = new Set(shown.map(({ at }) => at));
    expect(functions.count).toBe(starts.size);
    expect([...functions].map(({ start }) => start)).toEqual([...starts].sort((a, b) => a - b));
  });

  it('of variables are told apart from functions and thread-local ones', () => {
    const variables = variableIndex(parsed(compiled('calls.c')));
    const names = [...variables].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['shared_number', 'own_numbers', 'pointer']));
    expect(names).not.toContain('per_thread');
    expect(names).not.toContain('main');
    const numbers = [...variables].find(({ name }) => name === 'own_numbers')!;
    const inside = variables.find(imageAddress(numbers.start + 396));
    expect(inside).toMatchObject({ name: 'own_numbers', offset: 396 });
    expect(variables.find(imageAddress(numbers.start + 400))?.name).not.toBe('own_numbers');
  });
});

describe('relocations', () => {
  const shownRelocations = (path: string): string[] =>
    [
      ...toolOutput('readelf', '-rW', path).matchAll(/^([0-9a-f]{16}) +([0-9a-f]{16}) R_X86_64/gm),
    ].map(([, place, info]) => `${number(place)} ${info}`);
  const readPlaces = (elf: ElfFile): string[] =>
    readRelocations(elf).map(({ place, symbol, type }) => {
      const info = [symbol, type].map((half) => half.toString(16).padStart(8, '0'));
      return `${place} ${info.join('')}`;
    });

  it.each([
    ['/bin/bash', () => '/bin/bash'],
    ['a program that is not position independent', () => compiled('calls.c', '-no-pie')],
    ['a static program', () => compiled('calls.c', '-static')],
    ['a static position independent program', () => compiled('calls.c', '-static-pie', '-fPIE')],
    ['a library', () => compiled('calls.c', '-shared', '-fPIC')],
  ])('of %s are those that readelf shows', (_, pathOf) => {
    const path = pathOf();
    const shown = shownRelocations(path);
    expect(shown.length).toBeGreaterThan(0);
    expect(readPlaces(parsed(path))).toEqual(shown);
  });

  it('are the same in the dense form', () => {
    const of = (option: string) => {
      const elf = parsed(compiled('calls.c', '-static-pie', '-fPIE', `-Wl,-z,${option}`));
      return { elf, relocations: readRelocations(elf) };
    };
    const dense = of('pack-relative-relocs');
    const plain = of('nopack-relative-relocs');
    expect(dense.elf.section('.relr.dyn')).toBeDefined();
    expect(plain.elf.section('.relr.dyn')).toBeUndefined();
    const number = (one: typeof dense, type: number) =>
      one.relocations.filter((relocation) => relocation.type === type).length;
    expect(number(dense, 8)).toBe(number(plain, 8));
    // Each moves an address inside of the image to a place in its data.
    for (const { place, addend, type } of dense.relocations) {
      if (type !== 8) continue;
      expect(dense.elf.segmentAt(place)).toBeDefined();
      expect(addend).toBeGreaterThan(0);
    }
    const slots = dense.elf.section('.init_array')!;
    const first = dense.relocations.find(({ place }) => place === slots.address);
    expect(functionIndex(dense.elf).find(imageAddress(first!.addend))?.name).toBe('frame_dummy');
  });
});

describe('imported functions', () => {
  it.each([
    ['lazily bound', ['-Wl,-z,lazy']],
    ['bound at once', ['-Wl,-z,now']],
    ['with stubs for indirect branch tracking', ['-fcf-protection=full', '-Wl,-z,ibtplt']],
    ['not position independent', ['-no-pie', '-fno-pie']],
    ['a library', ['-shared', '-fPIC']],
  ])('have the stubs that objdump names: %s', (_, options) => {
    const path = compiled('calls.c', '-O1', ...options);
    const disassembly = toolOutput('objdump', '-d', path);
    const shown = new Map(
      [...disassembly.matchAll(/^([0-9a-f]{16}) <([^@>]+)@plt>:/gm)].map(([, at, name]) => [
        number(at),
        name,
      ]),
    );
    const { stubs, slots } = readImports(parsed(path));
    // What is called is the stub that jumps: .plt's own ones, with endbr64, only prepare that.
    const called = new Map([...shown].filter(([at]) => stubs.has(imageAddress(at))));
    expect(Object.fromEntries(stubs)).toEqual(Object.fromEntries(called));
    expect([...stubs.values()]).toEqual(expect.arrayContaining(['printf', 'fflush', 'getpid']));
    expect([...slots.values()]).toEqual(expect.arrayContaining(['printf', 'getpid']));
    for (const [, target] of disassembly.matchAll(/call +([0-9a-f]+) <printf@plt>/g)) {
      expect(stubs.get(imageAddress(number(target)))).toBe('printf');
    }
  });

  it('are found without section headers', () => {
    for (const options of [[], ['-fcf-protection=full', '-Wl,-z,ibtplt']]) {
      const path = compiled('calls.c', '-O1', ...options);
      const bare = readImports(parseElf(withoutSections(path)));
      const { slots, stubs } = readImports(parsed(path));
      expect(bare.slots).toEqual(slots);
      for (const [stub, name] of stubs) expect(bare.stubs.get(stub)).toBe(name);
    }
  });

  it('are called by their slots with -fno-plt', () => {
    const path = compiled('calls.c', '-O1', '-fno-plt');
    const { slots } = readImports(parsed(path));
    const variables = variableIndex(parsed(path));
    const calls = [
      ...toolOutput('objdump', '-d', path).matchAll(/call +\*.*# ([0-9a-f]+) <(\w+)@GLIBC/g),
    ].filter(([, at]) => variables.find(imageAddress(number(at))) === undefined);
    expect(calls.length).toBeGreaterThan(3);
    for (const [, slot, name] of calls) expect(slots.get(imageAddress(number(slot)))).toBe(name);
  });
});
