import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

const safe = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -300, max: 300 }));
const unsigned = safe.map(Math.abs);

/** Every way to write a number, with its numbers. */
const item = fc.oneof(
  fc.record({ kind: fc.constant('u8' as const), value: fc.nat(0xff) }),
  fc.record({ kind: fc.constant('u16' as const), value: fc.nat(0xffff) }),
  fc.record({ kind: fc.constant('u32' as const), value: fc.nat(0xffff_ffff) }),
  fc.record({ kind: fc.constant('i32' as const), value: fc.integer() }),
  fc.record({ kind: fc.constant('u64' as const), value: unsigned }),
  fc.record({ kind: fc.constant('uleb' as const), value: unsigned }),
  fc.record({ kind: fc.constant('sleb' as const), value: safe }),
);

it('writes what a reader reads', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 400 }), (items) => {
      const writer = new ByteWriter();
      for (const { kind, value } of items) writer[kind](value);
      const reader = new ByteReader(writer.written());
      for (const { kind, value } of items) expect(reader[kind]()).toBe(value);
      expect(reader.left).toBe(0);
    }),
  );
});

it('pads, and puts in later what was not known before', () => {
  const writer = new ByteWriter();
  writer.u8(1);
  writer.alignTo(4);
  writer.u32(0);
  writer.bytes(Uint8Array.of(7, 8));
  writer.setI32(4, -2);
  expect([...writer.written()]).toEqual([1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 7, 8]);
  expect(() => writer.setI32(8, 1)).toThrow('nothing was written at 8');
});

it('refuses what does not fit', () => {
  const writer = new ByteWriter();
  expect(() => writer.i32(2 ** 31)).toThrow();
  expect(() => writer.u32(-1)).toThrow();
  expect(() => writer.u32(2 ** 32)).toThrow();
  expect(() => writer.uleb(-1)).toThrow();
  expect(writer.length).toBe(0);
});
