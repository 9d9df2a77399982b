import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pid, tid } from '../../linux/ids.ts';
import type { ThreadSample } from '../../linux/perf-samples.ts';
import { watchedPart, writerDuring } from './writer-during.ts';

const sample = (thread: number, time: number, process = 7): ThreadSample => ({
  ...{ process: pid(process), thread: tid(thread), time: BigInt(time) },
  registers: { get: () => 0n },
  stack: { from: 0n, bytes: Buffer.alloc(0) },
});

describe('who has written while a section had its copy', () => {
  const sighting = { section: 1, address: 64n, pid: 7, thread: 10, since: 100n, until: 200n };

  it('is the last one between the two times', () => {
    const [early, first, last, late] = [50, 120, 150, 250].map((time) => sample(11, time));
    expect(writerDuring([early!, last!, first!, late!], sighting)).toBe(last);
  });

  it('is neither the section itself nor another process', () => {
    expect(writerDuring([sample(10, 150), sample(11, 150, 8)], sighting)).toBeUndefined();
  });

  it('is nobody who came before the copy was made, or after it was compared', () => {
    expect(writerDuring([sample(11, 99), sample(11, 201)], sighting)).toBeUndefined();
  });
});

describe('what a debug register watches of a variable', () => {
  it('is in its place, within the variable, and as large as can be', () => {
    fc.assert(
      fc.property(fc.nat(7), fc.integer({ min: 1, max: 8 }), (offset, length) => {
        const size = Math.min(length, 8 - offset);
        const address = 0x5000n + BigInt(offset);
        const part = watchedPart({ address, size });
        const end = address + BigInt(size);
        expect(part.address % BigInt(part.size)).toBe(0n);
        expect(part.address >= address && part.address + BigInt(part.size) <= end).toBe(true);
        for (const wide of [2n, 4n, 8n]) {
          const isThere = [...Array(8).keys()]
            .map((n) => 0x5000n + BigInt(n))
            .some((at) => at % wide === 0n && at >= address && at + wide <= end);
          if (isThere) expect(BigInt(part.size)).toBeGreaterThanOrEqual(wide);
        }
      }),
    );
  });
});
