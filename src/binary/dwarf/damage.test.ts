/**
 * Debug information with some bytes changed, or cut short: no answer may throw, and none may take forever.
 * (A hang shows as a test that never ends.)
 */
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { imageAddress } from '../image-address.ts';
import { compiled } from '../testdata/compiled.ts';
import { debugSectionsOf } from '../testdata/debug-info-of.ts';
import { DebugInfo } from './debug-info.ts';
import type { DebugSections } from './sections.ts';

type SectionName = keyof DebugSections;
type Change = { section: number; at: number; value: number; isCut: boolean };

const CHANGES = fc.array(
  fc.record({
    section: fc.nat(),
    at: fc.nat(),
    // Numbers with the upper bit set make LEB128 go on; large ones lead outside.
    value: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.integer({ min: 0, max: 255 })),
    isCut: fc.nat(9).map((n) => n === 0),
  }),
  { minLength: 1, maxLength: 8 },
);

function damaged(sections: DebugSections, changes: readonly Change[]): DebugSections {
  const result: Record<string, Uint8Array | undefined> = { ...sections };
  const names = (Object.keys(sections) as SectionName[]).filter((name) => sections[name]?.length);
  for (const { section, at, value, isCut } of changes) {
    const name = names[section % names.length]!;
    const bytes = Uint8Array.from(result[name]!);
    if (bytes.length === 0) continue;
    if (isCut) result[name] = bytes.subarray(0, at % bytes.length);
    else {
      bytes[at % bytes.length] = value;
      result[name] = bytes;
    }
  }
  return result as unknown as DebugSections;
}

/** Asks for everything; that nothing is thrown is what the test wants. */
function askAll(sections: DebugSections, addresses: readonly number[]): void {
  const info = new DebugInfo(sections);
  for (const address of addresses) {
    info.lineAt(imageAddress(address));
    info.framesAt(imageAddress(address));
  }
  info.functions();
  for (const { address, size } of info.variables().slice(0, 50)) {
    info.dataAt(address);
    info.dataAt(imageAddress(address + Math.floor(size / 2)));
  }
  info.atomicRanges();
  for (const { length } of info.problems)
    if (length === 0) throw new Error('a problem without words');
}

function survives(path: string, numRuns: number): void {
  const sections = debugSectionsOf(path);
  const whole = new DebugInfo(sections);
  const addresses = whole
    .functions()
    .flatMap(({ ranges }) => ranges.flatMap(({ low, high }) => [low, (low + high) >> 1, high - 1]))
    .slice(0, 60);
  fc.assert(
    fc.property(CHANGES, (changes) => askAll(damaged(sections, changes), addresses)),
    { numRuns },
  );
}

const C = 'inlined-calls.c';
const DATA = 'shared-data.c';

describe('damage', () => {
  it.each([
    ['DWARF 2', C, ['-gdwarf-2', '-O2']],
    ['DWARF 4', C, ['-gdwarf-4', '-O2']],
    ['DWARF 5', C, ['-gdwarf-5', '-O2']],
    ['64-bit DWARF', C, ['-gdwarf-5', '-gdwarf64', '-O2']],
    ['variables of DWARF 3', DATA, ['-gdwarf-3']],
    ['variables of DWARF 5', DATA, ['-gdwarf-5', '-fdebug-types-section']],
    ['tables', 'indexed.s', ['-nostdlib', '-no-pie']],
  ])('in %s', (_, source, options) => {
    survives(compiled(source, ...options), 400);
  });

  it('in C++', () => {
    survives(compiled('shared-data.cc', '-g', '-O2'), 25);
  });
});
