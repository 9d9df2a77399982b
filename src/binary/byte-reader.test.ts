import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadBinary, ByteReader } from './byte-reader.ts';

const reader = (...bytes: number[]): ByteReader => new ByteReader(Uint8Array.from(bytes));
const safe = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }));

/** By the definition, in bigints. */
function leb(value: bigint, isSigned: boolean): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const isDone = isSigned ? rest === (low & 0x40 ? -1n : 0n) : rest === 0n;
    bytes.push(isDone ? low : low | 0x80);
    if (isDone) return bytes;
  }
}

describe('numbers', () => {
  it('are what DataView reads', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const view = new DataView(bytes.buffer);
        expect(new ByteReader(bytes).u8()).toBe(view.getUint8(0));
        expect(new ByteReader(bytes).i8()).toBe(view.getInt8(0));
        expect(new ByteReader(bytes).u16()).toBe(view.getUint16(0, true));
        expect(new ByteReader(bytes).i16()).toBe(view.getInt16(0, true));
        expect(new ByteReader(bytes).u32()).toBe(view.getUint32(0, true));
        expect(new ByteReader(bytes).i32()).toBe(view.getInt32(0, true));
        expect(new ByteReader(bytes).bigU64()).toBe(view.getBigUint64(0, true));
      }),
    );
  });

  it('of 64 bits are exact, or refused', () => {
    fc.assert(
      fc.property(safe, (value) => {
        const bytes = new Uint8Array(8);
        new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true);
        expect(new ByteReader(bytes).i64()).toBe(value);
        if (value >= 0) expect(new ByteReader(bytes).u64()).toBe(value);
        else expect(() => new ByteReader(bytes).u64()).toThrow(BadBinary);
      }),
    );
    expect(() => reader(0, 0, 0, 0, 0, 0, 0x20, 0).u64()).toThrow('the number at 0x0');
    expect(() => reader(0, 0, 0, 0, 0, 0, 0x20, 0).i64()).toThrow('too large');
    expect(reader(255, 255, 255, 255, 255, 255, 0x1f, 0).u64()).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('LEB128', () => {
  it('gives back what was written, and stops behind it', () => {
    fc.assert(
      fc.property(safe, (value) => {
        const signed = leb(BigInt(value), true);
        const one = reader(...signed, 0xff);
        expect(one.sleb()).toBe(value);
        expect(one.at).toBe(signed.length);
        const magnitude = Math.abs(value);
        const unsigned = leb(BigInt(magnitude), false);
        const other = reader(...unsigned, 0xff);
        expect(other.uleb()).toBe(magnitude);
        expect(other.at).toBe(unsigned.length);
        const passed = reader(...unsigned, 0xff);
        passed.skipLeb();
        expect(passed.at).toBe(unsigned.length);
      }),
    );
  });

  it('may be padded', () => {
    expect(reader(0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0).uleb()).toBe(3);
    expect(reader(0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f).sleb()).toBe(-3);
  });

  it('is refused when too large, too long or cut short', () => {
    const many = Array<number>(15).fill(0xff);
    expect(() => reader(...many, 0x7f).uleb()).toThrow('too large');
    expect(() => reader(...many, 0x3f).sleb()).toThrow('too large');
    expect(() => reader(...Array<number>(40).fill(0x80), 0).uleb()).toThrow('too large');
    expect(() => reader(...Array<number>(40).fill(0x80), 0).sleb()).toThrow('too large');
    expect(() => reader(0x80).uleb()).toThrow('in mid-value (0x1)');
    expect(() => reader(0x80).sleb()).toThrow(BadBinary);
    expect(() => reader(0x80).skipLeb()).toThrow(BadBinary);
  });
});

describe('a reader', () => {
  it('keeps to its part of the bytes', () => {
    const part = new ByteReader(Uint8Array.of(1, 2, 3, 4, 5), 1, 3, '.note');
    expect(part.left).toBe(2);
    expect(() => part.u32()).toThrow('.note ends at 0x3, in mid-value (0x1)');
    expect(part.u16()).toBe(0x302);
    expect(() => part.u8()).toThrow(BadBinary);
    part.at = -1;
    expect(() => part.u8()).toThrow(BadBinary);
    part.at = 1;
    expect(() => part.skip(-1)).toThrow(BadBinary);
    expect([...part.bytes(2)]).toEqual([2, 3]);
  });

  it('refuses a part that is outside', () => {
    expect(() => new ByteReader(new Uint8Array(4), 2, 5)).toThrow('from 0x2 to 0x5 is outside');
    expect(() => new ByteReader(new Uint8Array(4), 3, 2)).toThrow(BadBinary);
    expect(() => new ByteReader(new Uint8Array(4), -1)).toThrow(BadBinary);
    expect(() => new ByteReader(new Uint8Array(4), Number.NaN)).toThrow(BadBinary);
  });

  it('reads text up to its zero, and keeps bytes that are no text', () => {
    const text = reader(0x61, 0x62, 0, 0xe9, 0, 0x63);
    expect(text.cString()).toBe('ab');
    expect(text.cString()).toBe('\udce9');
    expect(() => text.cString()).toThrow('the text at 0x5 of the data has no end');
  });
});
