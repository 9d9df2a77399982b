import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBytes, encodeBytes, printable } from './bytes.ts';

describe('bytes as strings', () => {
  it('keeps any bytes through decode and encode', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect([...encodeBytes(decodeBytes(bytes))]).toEqual([...bytes]);
      }),
    );
  });

  it('reads valid UTF-8 as plain text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeBytes(Buffer.from(text, 'utf8'))).toBe(text);
      }),
    );
  });

  it('tells the replacement character from bytes that are replaced, and keeps a byte order mark', () => {
    for (const text of ['\ufffd', 'a\ufffdb', '\ufeffa']) {
      expect(decodeBytes(Buffer.from(text, 'utf8'))).toBe(text);
    }
    const mixed = Buffer.concat([Buffer.from('\ufffd', 'utf8'), Buffer.of(0xe9)]);
    expect(decodeBytes(mixed)).toBe('\ufffd\udce9');
    expect(decodeBytes(new Uint8Array([0x78, 0x61, 0xe9]).subarray(1))).toBe('a\udce9');
  });

  it('shows stray bytes and control characters as escapes', () => {
    expect(printable(decodeBytes(Buffer.from('caf\xe9\n\x1b[0m😀', 'latin1')))).toContain(
      'caf\\xe9\\n\\x1b[0m',
    );
    expect(printable('naïve 😀')).toBe('naïve 😀');
  });
});
