import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DebugInfo } from '../dwarf/debug-info.ts';
import { debugSections } from '../dwarf/sections.ts';
import { imageAddress } from '../image-address.ts';
import { compiled, toolOutput } from '../testdata/compiled.ts';
import { ObjectFile } from './object-file.ts';

it.each(['-gdwarf-4', '-gdwarf-5'])(
  'an object file has the lines that binutils finds: %s',
  (dwarf) => {
    // Each function in a section of its own, all of which begin at 0 in the file.
    const path = compiled('inlined-calls.c', '-c', '-O1', dwarf, '-ffunction-sections');
    const object = new ObjectFile(readFileSync(path));
    const info = new DebugInfo(debugSections(object));
    const functions = object.functions().filter(({ size }) => size > 0);
    expect(functions.length).toBeGreaterThan(1);
    expect(new Set(functions.map(({ address }) => address)).size).toBe(functions.length);
    for (const { name, address, size } of functions) {
      for (const offset of [0, size - 1]) {
        const section = `.text.${name}`;
        const told = toolOutput('addr2line', '-e', path, '-j', section, `0x${offset.toString(16)}`);
        const [frame] = info.framesAt(imageAddress(address + offset));
        expect(told.trim().replace(/ \(discriminator \d+\)$/, '')).toBe(
          `${frame?.file}:${frame?.line}`,
        );
      }
    }
  },
);

it('what is no object file is read as ever, or refused', () => {
  const program = readFileSync(compiled('nothing.c', '-g'));
  expect(new ObjectFile(program).functions().map(({ name }) => name)).toContain('main');
  expect(() => new ObjectFile(new Uint8Array(100))).toThrow('it is');
});
