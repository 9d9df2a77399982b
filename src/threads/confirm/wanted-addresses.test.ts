import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overlap } from '../../binary/code/touched-memory.ts';
import { WantedAddresses } from './wanted-addresses.ts';

const range = (address: number, size = 4) => ({ address: BigInt(address), size });

describe('what is worth holding a thread for', () => {
  it('is anything, as long as nothing is known', () => {
    const wanted = new WantedAddresses();
    wanted.expect(undefined);
    expect(wanted.isKnown).toBe(false);
    expect(wanted.isWanted(range(0x5000))).toBe(true);
  });

  it('is the variable, where it was', () => {
    const wanted = new WantedAddresses();
    wanted.expect(range(0x5000));
    expect(wanted.isWanted(range(0x5002, 8))).toBe(true);
    expect(wanted.isWanted(range(0x5004))).toBe(false);
  });

  it('is anything again, once what was seen is of no use', () => {
    const wanted = new WantedAddresses();
    wanted.expect(range(0x5000));
    for (const side of [0, 1] as const) wanted.see(side, [range(0x6000)]);
    wanted.forget();
    expect(wanted.isKnown).toBe(false);
    expect([wanted.wasSeen(0), wanted.wasSeen(1)]).toEqual([false, false]);
    expect(wanted.isWanted(range(0x7000))).toBe(true);
  });

  it('is what both sides were seen to touch, if the variable is elsewhere', () => {
    const wanted = new WantedAddresses();
    wanted.expect(range(0x5000));
    for (const at of [0x6000, 0x6004, 0x6008]) wanted.see(0, [range(at)]);
    wanted.see(1, [range(0x6008, 8)]);
    expect([wanted.wasSeen(0), wanted.wasSeen(1)]).toEqual([false, false]);
    wanted.expect(range(0x5000));
    expect([0x5000, 0x6004, 0x6008].map((at) => wanted.isWanted(range(at)))).toEqual([
      ...[false, false, true],
    ]);
  });

  it('is the variable, if one side was seen to touch it where it was', () => {
    const wanted = new WantedAddresses();
    wanted.see(0, [range(0x5008), range(0x5000)]);
    wanted.expect(range(0x5000));
    expect([0x5000, 0x5008].map((at) => wanted.isWanted(range(at)))).toEqual([true, false]);
  });

  it('is nothing while a run only shows what is touched', () => {
    const wanted = new WantedAddresses();
    wanted.expect(undefined);
    wanted.onlyWatch();
    expect(wanted.isWanted(range(0x5000))).toBe(false);
    wanted.expect(undefined);
    expect(wanted.isWanted(range(0x5000))).toBe(true);
  });

  it('is all that overlaps, of whatever sizes', () => {
    const ranges = fc.array(
      fc.record({ address: fc.nat(60), size: fc.integer({ min: 1, max: 9 }) }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(ranges, ranges, (one, other) => {
        const wanted = new WantedAddresses();
        const [a, b] = [one, other].map((side) =>
          side.map(({ address, size }) => range(address, size)),
        );
        wanted.see(0, a!);
        wanted.see(1, b!);
        wanted.expect(undefined);
        const meets = a!.some((x) => b!.some((y) => overlap(x, y)));
        expect(wanted.isKnown).toBe(meets);
        // Whoever can meet somebody is held.
        for (const x of a!) {
          if (b!.some((y) => overlap(x, y))) expect(wanted.isWanted(x)).toBe(true);
        }
      }),
    );
  });
});
