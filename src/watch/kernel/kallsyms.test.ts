import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTokens, readKallsyms } from './kallsyms.ts';
import type { KernelSymbol } from './symbols.ts';
import { kallsymsImage } from './testdata/kallsyms-image.ts';

const BASE = 0xffffffff98600000n;

function symbolsFor(count: number, hasPerProcessor: boolean): KernelSymbol[] {
  const variables = hasPerProcessor ? [{ name: 'current_task', type: 'A', address: 0x1fb80n }] : [];
  const functions = Array.from({ length: count }, (_, index) => ({
    name: index % 100 === 7 ? `function_${'long_'.repeat(60)}${index}` : `vfs_read_${index}`,
    type: index % 3 === 0 ? 'T' : 't',
    address: BASE + BigInt(index * 48),
  }));
  return [...variables, ...functions];
}

function read(image: Buffer): KernelSymbol[] | undefined {
  const tokens = findTokens(image);
  return tokens && readKallsyms(image, tokens);
}

describe('the list in a kernel', () => {
  it('is found wherever it is, in all its forms', () => {
    const likely = fc.constantFrom(0, 0x30, 0x31, 0xff);
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1000, max: 1600 }),
        fc.array(fc.oneof(likely, fc.nat({ max: 255 })), { maxLength: 300 }),
        (isNew, hasPerProcessor, count, around) => {
          const symbols = symbolsFor(count, hasPerProcessor);
          const options = { isNew, hasPerProcessor, base: BASE, around: Uint8Array.from(around) };
          expect(read(kallsymsImage(symbols, options))).toEqual(symbols);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is not taken for one if a table is damaged', () => {
    const symbols = symbolsFor(1000, true);
    const options = { isNew: false, hasPerProcessor: true, base: BASE, around: new Uint8Array(64) };
    const image = kallsymsImage(symbols, options);
    const tokens = findTokens(image)!;
    const noIndex = Buffer.from(image);
    noIndex[tokens.end - 2]! ^= 1;
    expect(findTokens(noIndex)).toBe(undefined);
    const noMarker = Buffer.from(image);
    // The last marker stands right before the tokens.
    noMarker[tokens.start - 8]! ^= 1;
    expect(read(noMarker)).toBe(undefined);
    const noBase = kallsymsImage(symbols, { ...options, base: BASE + 1n });
    expect(read(noBase)).toBe(undefined);
  });

  it('is not found in other bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 0x30, 0x31, 0x39, 7), { maxLength: 4000 }),
        (bytes) => {
          expect(read(Buffer.from(bytes))).toBe(undefined);
        },
      ),
    );
    expect(
      read(Buffer.from('0\x001\x002\x003\x004\x005\x006\x007\x008\x009\x00'.repeat(100))),
    ).toBe(undefined);
  });
});
