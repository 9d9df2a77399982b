/**
 * Accesses to ranges of a file, sorted into buckets by where they are, so that a thousand processes
 * that each write a block of their own are not compared with each other.
 *
 *   stores     [0,100) [100,200) [150,300)
 *   buckets    [0,100) [100,150) [150,200) [200,300) [300,∞)
 *
 * An access is in each bucket that it touches. A pair that meets in several buckets belongs to the
 * one where their overlap begins.
 */
import { firstIndex } from '../../../base/bisect.ts';
import { type Range, WHOLE } from '../../model/operation.ts';
import type { Access } from '../race.ts';

export interface Bucket {
  range: Range;
  accesses: Access[];
}

/** How many times as many as there are accesses may be sorted in; with more, buckets are made wider. */
const MOST_COPIES = 8;
const ALWAYS_ALLOWED = 10_000;

const rangeOf = ({ operation }: Access): Range => operation.range ?? WHOLE;

export function intoBuckets(accesses: readonly Access[]): Bucket[] {
  if (accesses.every(({ operation }) => operation.range === undefined)) {
    return [{ range: WHOLE, accesses: [...accesses] }];
  }
  let borders = bordersOf(accesses);
  const limit = Math.max(ALWAYS_ALLOWED, MOST_COPIES * accesses.length);
  while (borders.length > 1 && copies(accesses, borders) > limit) {
    borders = borders.filter((_, index) => index % 2 === 0);
  }
  const buckets = borders.map((from, index): Bucket => {
    const to = borders[index + 1] ?? Number.POSITIVE_INFINITY;
    return { range: { from, to }, accesses: [] };
  });
  for (const access of accesses) {
    const [first, end] = touched(access, borders);
    for (let index = first; index < end; index++) buckets[index]!.accesses.push(access);
  }
  return buckets;
}

/** Whether the overlap of two accesses begins in this bucket. */
export function belongsTo({ range }: Bucket, a: Access, b: Access): boolean {
  const [one, other] = [rangeOf(a), rangeOf(b)];
  const from = Math.max(one.from, other.from);
  return from < Math.min(one.to, other.to) && from >= range.from && from < range.to;
}

function bordersOf(accesses: readonly Access[]): number[] {
  const borders = new Set([0]);
  for (const access of accesses) {
    if (access.operation.op !== 'store') continue;
    const { from, to } = rangeOf(access);
    borders.add(from);
    if (Number.isFinite(to)) borders.add(to);
  }
  return [...borders].filter((border) => border >= 0).sort((a, b) => a - b);
}

/** From the bucket with its first byte up to the first one beyond its last. */
function touched(access: Access, borders: readonly number[]): [first: number, end: number] {
  const { from, to } = rangeOf(access);
  const first = Math.max(0, firstIndex(borders, (border) => border > from) - 1);
  return [
    first,
    Math.max(
      first + 1,
      firstIndex(borders, (border) => border >= to),
    ),
  ];
}

function copies(accesses: readonly Access[], borders: readonly number[]): number {
  return accesses.reduce((sum, access) => {
    const [first, end] = touched(access, borders);
    return sum + end - first;
  }, 0);
}
