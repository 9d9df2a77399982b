import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { TextCache } from './text-cache.ts';

it('gives the text that is there, however often and whatever was there before', () => {
  const bytes = fc.uint8Array({ maxLength: 300, max: 3 });
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 40 }), fc.constantFrom(0, 8), (texts, start) => {
      const cache = new TextCache((text) => text);
      for (const text of [...texts, ...texts]) {
        const event = Buffer.alloc(start + text.length, 0xff);
        event.set(text, start);
        const view = new DataView(event.buffer, event.byteOffset, event.length);
        expect(cache.at(view, start, event.length)).toBe(decodeBytes(text));
      }
    }),
  );
});
