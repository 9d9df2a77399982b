/**
 * Sets of locks that threads held, by number: the same set has the same number. Two accesses are protected from
 * each other by a lock that both held, unless both held it shared: readers do not keep each other out.
 */
import { SamplingNumbers } from '../../../linux/agent-protocol.ts';
import type { SamplingLog } from '../../collect/sampling-log.ts';

export const NO_LOCKS = 0;

/** In an address, which is even. */
const SHARED = 1;

export class Locksets {
  /** Sorted; a lock that was held both ways is held alone. */
  readonly #sets: (readonly number[])[] = [[]];
  readonly #numbers = new Map<string, number>();
  readonly #single = new Map<number, number>();
  readonly #protects = new Map<number, boolean>();
  readonly #scratch: number[] = [];

  /** Of the sample at which the log stands. */
  ofSample(log: SamplingLog): number {
    const count = log.locks;
    if (count === 0) return NO_LOCKS;
    if (count === 1) {
      const lock = log.lock(0);
      const known = this.#single.get(lock);
      if (known !== undefined) return known;
    }
    this.#scratch.length = 0;
    for (let i = 0; i < count; i++) this.#scratch.push(log.lock(i));
    const number = this.numberOf(this.#scratch);
    if (count === 1) this.#single.set(log.lock(0), number);
    return number;
  }

  /** Addresses, plus 1 for those that are shared. */
  numberOf(locks: readonly number[]): number {
    const held = new Set(locks);
    const set = [...held]
      .filter((lock) => !isShared(lock) || !held.has(lock - SHARED))
      .sort((one, other) => one - other);
    if (set.length === 0) return NO_LOCKS;
    const key = set.join(' ');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.length;
    this.#sets.push(set);
    this.#numbers.set(key, number);
    return number;
  }

  locksOf(number: number): readonly number[] {
    return this.#sets[number]!;
  }

  /** Whether accesses under one set and under the other keep out of each other's way. */
  areProtected(one: number, other: number): boolean {
    if (one === NO_LOCKS || other === NO_LOCKS) return false;
    const key = Math.min(one, other) * this.#keyFactor + Math.max(one, other);
    const known = this.#protects.get(key);
    if (known !== undefined) return known;
    const isOne = haveLockInCommon(this.#sets[one]!, this.#sets[other]!);
    this.#protects.set(key, isOne);
    return isOne;
  }

  readonly #keyFactor = 2 ** 26;
}

export const isShared = (lock: number): boolean => lock % 2 === SHARED;

export function lockAddress(lock: number): number {
  const even = lock - (lock % 2);
  return even >= SamplingNumbers.DH_ODD_LOCK ? even - SamplingNumbers.DH_ODD_LOCK + 1 : even;
}

export const haveLockInCommon = (one: readonly number[], other: readonly number[]): boolean =>
  one.some((mine) =>
    other.some(
      (theirs) =>
        lockAddress(mine) === lockAddress(theirs) && !(isShared(mine) && isShared(theirs)),
    ),
  );
