import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { watchedAccess } from './watched-access.ts';

const touched = (address: bigint, size: number) => ({
  ...{ address, size, isRead: true, isWritten: false },
});

describe('watchedAccess', () => {
  it('splits an access into aligned pieces, one behind the other', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 1n << 48n }),
        fc.integer({ min: 1, max: 64 }),
        (at, size) => {
          const { pieces } = watchedAccess([touched(at, size)], 0)!;
          expect(pieces.length).toBeLessThanOrEqual(4);
          let next = at;
          for (const piece of pieces) {
            expect(piece.address).toBe(next);
            expect(piece.address % BigInt(piece.size)).toBe(0n);
            next += BigInt(piece.size);
          }
          if (pieces.length < 4) expect(next).toBe(at + BigInt(size));
          else expect(next).toBeLessThanOrEqual(at + BigInt(size));
          // Any operand of eight bytes is watched as a whole.
          if (size <= 8) expect(next).toBe(at + BigInt(size));
        },
      ),
    );
  });

  it.each([
    [0x5003n, 8, '5003:1 5004:4 5008:2 500a:1'],
    [0x5000n, 16, '5000:8 5008:8'],
    [0x5000n, 4096, '5000:8 5008:8 5010:8 5018:8'],
    [0x5001n, 2, '5001:1 5002:1'],
  ])('%s, %i bytes', (address, size, expected) => {
    const { pieces } = watchedAccess([touched(address, size)], 0)!;
    expect(pieces.map((one) => `${one.address.toString(16)}:${one.size}`).join(' ')).toBe(expected);
  });

  it('watches for stores before a load, and for everything before a store', () => {
    const load = touched(0n, 4);
    expect(watchedAccess([load], 0)!.on).toBe('store');
    expect(watchedAccess([{ ...load, isRead: false, isWritten: true }], 0)!.on).toBe(
      'load-or-store',
    );
    expect(watchedAccess([{ ...load, isWritten: true }], 0)!.on).toBe('load-or-store');
  });

  it('takes turns with both places of a copy', () => {
    const both = [touched(0n, 4), touched(64n, 4)];
    expect([0, 1, 2].map((turn) => watchedAccess(both, turn)!.address)).toEqual([0n, 64n, 0n]);
    expect(watchedAccess([], 3)).toBeUndefined();
  });
});
