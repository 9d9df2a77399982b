import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccessFlag } from '../../linux/agent-protocol.ts';
import { TouchedPages } from './touched-pages.ts';

const BYTES = 5 * 4096;
const BASE = 0x5000_0000;

interface Touch {
  readonly thread: number;
  readonly at: number;
  readonly length: number;
  readonly flags: number;
  readonly ends: boolean;
}

/** Some begin and end with pages, as those of large arrays do. */
const touch: fc.Arbitrary<Touch> = fc
  .tuple(
    fc.nat(2),
    fc.nat(BYTES - 1),
    fc.nat(BYTES),
    fc.constantFrom(1, 2),
    fc.nat(9),
    fc.boolean(),
  )
  .map(([thread, at, length, flags, often, isWhole]) => {
    const start = isWhole ? at - (at % 4096) : at;
    const end = Math.min(BYTES, start + 1 + (isWhole ? length - (length % 4096) + 4095 : length));
    return { thread, at: start, length: end - start, flags, ends: often === 0 };
  });

describe('touched pages', () => {
  it('know of each byte whether threads share it', () => {
    fc.assert(
      fc.property(fc.array(touch, { maxLength: 12 }), (touches) => {
        const pages = new TouchedPages();
        const threads = Array.from({ length: BYTES }, () => 0);
        const written = new Uint8Array(BYTES);
        const told = new Set<number>();
        const expected = new Set<number>();
        const tell = (address: number, shared: number): void => {
          for (let i = 0; i < 8; i++) if (shared & (1 << i)) told.add(address + i - BASE);
        };
        const end = (from: number, to: number): void => {
          for (let i = from; i < to; i++) {
            const several = (threads[i]! & (threads[i]! - 1)) !== 0;
            if (several && written[i]) expected.add(i);
            threads[i] = written[i] = 0;
          }
        };
        for (const { thread, at, length, flags, ends } of touches) {
          if (ends) {
            const from = at - (at % 8);
            const to = Math.min(BYTES, at + length + 7 - ((at + length + 7) % 8));
            pages.forget(BASE + at, length, tell);
            end(from, to);
          } else {
            pages.touchRange(thread, BASE + at, length, 0, flags);
            for (let i = at; i < at + length; i++) {
              threads[i]! |= 1 << thread;
              if (flags & AccessFlag.DH_WRITE) written[i] = 1;
            }
          }
        }
        pages.forgetAll(tell);
        end(0, BYTES);
        expect([...told].sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b));
      }),
      { numRuns: 100 },
    );
  });
});
