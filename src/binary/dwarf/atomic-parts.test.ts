import { expect, it } from 'vitest';
import { AtomicParts } from './atomic-parts.ts';
import type { Member } from './members.ts';
import type { Type, Types } from './types.ts';

/** Types by their offset, as .debug_info would have them. */
const partsOf = (list: readonly Type[]) =>
  new AtomicParts({ at: (offset: number) => list[offset]! } as unknown as Types).of(list[0]!);

const member = (type: number, offset: number): Member => ({
  name: 'member',
  isBase: false,
  offset,
  type,
  size: undefined,
});
const ATOMIC: Type = { kind: 'plain', size: 4, isAtomic: true };
const PLAIN: Type = { kind: 'plain', size: 4, isAtomic: false };
const record = (size: number, ...members: Member[]): Type => ({ kind: 'record', size, members });

it('members that touch are one part, in the order of their offsets', () => {
  const outer = record(20, member(1, 12), member(1, 0), member(2, 8), member(1, 4));
  expect(partsOf([outer, ATOMIC, PLAIN])).toEqual([
    { low: 0, high: 8 },
    { low: 12, high: 16 },
  ]);
});

it('elements of arrays', () => {
  expect(partsOf([{ kind: 'array', size: 40, count: 10, element: ATOMIC }])).toEqual([
    { low: 0, high: 40 },
  ]);
  const pair = record(8, member(1, 4));
  expect(partsOf([{ kind: 'array', size: 16, count: 2, element: pair }, ATOMIC])).toEqual([
    { low: 4, high: 8 },
    { low: 12, high: 16 },
  ]);
});

it('what cannot be, in damaged files, ends', () => {
  expect(partsOf([record(8, member(0, 0), member(1, 4)), ATOMIC])).toEqual([{ low: 4, high: 8 }]);
  const chain = Array.from({ length: 100_000 }, (_, i) => record(4, member(i + 1, 0)));
  expect(partsOf([...chain, ATOMIC])).toEqual([]);
});
