import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Clocks } from './clock.ts';
import { type Clock, emptyClock } from './clock-nodes.ts';
import type { Slot } from './ids.ts';

/** Few neighbouring slots, so that clocks overlap, and some far apart, so that trees get deep. */
const slots = fc.oneof(fc.nat(20), fc.nat(300), fc.nat(2 ** 27 - 1)) as fc.Arbitrary<number>;
const entries = fc.dictionary(slots.map(String), fc.integer({ min: 1, max: 9 }), { maxKeys: 12 });

type Entries = Record<string, number>;

function clockWith(clocks: Clocks, wanted: Entries, from: Clock = emptyClock): Clock {
  let clock = from;
  for (const [slot, count] of Object.entries(wanted)) {
    clock = clocks.with(clock, Number(slot) as Slot, count);
  }
  return clock;
}

function entriesOf(clocks: Clocks, clock: Clock): Entries {
  const found: Entries = {};
  clocks.forEach(clock, (slot, count) => {
    found[slot] = count;
  });
  return found;
}

function largest(a: Entries, b: Entries): Entries {
  const result = { ...a };
  for (const [slot, count] of Object.entries(b)) result[slot] = Math.max(result[slot] ?? 0, count);
  return result;
}

describe('a clock', () => {
  it('holds what was put in, and nothing about other slots', () => {
    fc.assert(
      fc.property(entries, slots, (wanted, other) => {
        const clocks = new Clocks();
        const clock = clockWith(clocks, wanted);
        expect(entriesOf(clocks, clock)).toEqual(wanted);
        expect(clocks.countOf(clock, other as Slot)).toBe(wanted[other] ?? 0);
      }),
    );
  });

  it('does not change when another is made from it', () => {
    fc.assert(
      fc.property(entries, entries, (wanted, changes) => {
        const clocks = new Clocks();
        const clock = clockWith(clocks, wanted);
        expect(entriesOf(clocks, clockWith(clocks, changes, clock))).toEqual({
          ...wanted,
          ...changes,
        });
        expect(entriesOf(clocks, clock)).toEqual(wanted);
      }),
    );
  });

  it('forgets a slot that is set to 0', () => {
    const clocks = new Clocks();
    const clock = clockWith(clocks, { 1: 5, 80: 6 });
    expect(entriesOf(clocks, clocks.with(clock, 80 as Slot, 0))).toEqual({ 1: 5 });
  });

  it('needs as many nodes as the slots it knows, not as their numbers', () => {
    const clocks = new Clocks();
    clockWith(clocks, { 100000000: 1 });
    expect(clocks.nodeCount).toBe(1);
  });
});

describe('join', () => {
  it('knows the larger count of each slot', () => {
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        const clocks = new Clocks();
        const joined = clocks.join(clockWith(clocks, a), clockWith(clocks, b));
        expect(entriesOf(clocks, joined)).toEqual(largest(a, b));
      }),
    );
  });

  it('returns the side that has only learned more than the other, and makes no node', () => {
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        const clocks = new Clocks();
        const small = clockWith(clocks, a);
        const large = clockWith(clocks, largest(a, b), small);
        const nodes = clocks.nodeCount;
        expect(clocks.join(small, large)).toBe(large);
        expect(clocks.join(large, small)).toBe(large);
        expect(clocks.nodeCount).toBe(nodes);
      }),
    );
  });

  it('shares what did not change', () => {
    const clocks = new Clocks();
    const everyone = Object.fromEntries(Array.from({ length: 4096 }, (_, slot) => [slot, 1]));
    const clock = clockWith(clocks, everyone);
    const one = clocks.with(clock, 5 as Slot, 2);
    const other = clocks.with(clock, 4000 as Slot, 2);
    const nodes = clocks.nodeCount;
    clocks.join(one, other);
    expect(clocks.nodeCount - nodes).toBe(1);
  });
});

describe('findReached', () => {
  it('finds a slot exactly if there is one that is far enough', () => {
    fc.assert(
      fc.property(entries, entries, (goal, known) => {
        const clocks = new Clocks();
        const found = clocks.findReached(clockWith(clocks, goal), clockWith(clocks, known));
        const isReached = (slot: string) => (known[slot] ?? 0) >= goal[slot]!;
        if (found === undefined) expect(Object.keys(goal).filter(isReached)).toEqual([]);
        else expect(Object.keys(goal).filter(isReached)).toContain(String(found));
      }),
    );
  });
});
