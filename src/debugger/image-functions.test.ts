import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseElf } from '../binary/elf/elf-file.ts';
import { compiled, toolOutput } from '../binary/testdata/compiled.ts';
import { readEhFrame } from '../binary/unwind/eh-frame.ts';
import { imageFunctions } from './image-functions.ts';

function functionsOf(path: string) {
  const elf = parseElf(readFileSync(path));
  return imageFunctions(elf, elf, readEhFrame(elf).fdes);
}

describe('the functions of an image', () => {
  it('are those with symbols, as nm has them', () => {
    const path = compiled('calls.c', '-O1');
    const found = new Map(functionsOf(path).map((one) => [one.start, one]));
    const lines = toolOutput('nm', '--print-size', path).split('\n');
    const named = lines.flatMap((line) => {
      const [, start, size, name] = /^(\w+) (\w+) [tTW] (\w+)$/.exec(line) ?? [];
      return start && size && name
        ? [{ name, start: Number(`0x${start}`), size: Number(`0x${size}`) }]
        : [];
    });
    expect(named.map(({ name }) => name)).toContain('main');
    expect([...found.values()].map(({ name }) => name)).toContain('main');
    for (const { name, start, size } of named) {
      expect(found.get(start), name).toMatchObject({ end: start + size });
    }
  });

  it('are the same without symbols, but for their names; and none is a stub of the linker', () => {
    const path = compiled('calls.c', '-O1');
    const elf = parseElf(readFileSync(path));
    const before = functionsOf(path);
    execFileSync('strip', [path]);
    const after = functionsOf(path);
    const main = before.find(({ name }) => name === 'main')!;
    expect(after).toContainEqual({ ...main, name: `0x${main.start.toString(16)}` });
    const stubs = elf.sections.filter(({ name }) => name.startsWith('.plt'));
    for (const { start } of after) {
      expect(stubs.some(({ address, size }) => start >= address && start < address + size)).toBe(
        false,
      );
    }
  });

  it('do not overlap, and are in order', () => {
    for (const path of ['/bin/sh', '/bin/ls']) {
      const found = functionsOf(path);
      expect(found.length).toBeGreaterThan(10);
      for (const [index, one] of found.entries()) {
        expect(one.end).toBeGreaterThan(one.start);
        expect(one.start).toBeGreaterThanOrEqual(found[index - 1]?.end ?? 0);
      }
    }
  });
});
