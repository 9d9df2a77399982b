/** The sets of locks that threads hold, each with a number; 0 is the empty one. */
import type { Held } from '../held-locks.ts';

interface Lockset {
  readonly exclusive: readonly number[];
  readonly shared: readonly number[];
}

export class Locksets {
  readonly #sets: Lockset[] = [{ exclusive: [], shared: [] }];
  readonly #numbers = new Map<string, number>([['|', 0]]);

  numberOf(held: Held | undefined): number {
    const exclusive: number[] = [];
    const shared: number[] = [];
    for (let one = held; one !== undefined; one = one.further) {
      (one.section.isShared ? shared : exclusive).push(one.section.lock);
    }
    exclusive.sort((a, b) => a - b);
    shared.sort((a, b) => a - b);
    const key = `${exclusive}|${shared}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.push({ exclusive, shared }) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** Whether two threads cannot hold these at the same time: a lock is in both, not just for reading. */
  doExclude(one: number, other: number): boolean {
    if (one === 0 || other === 0) return false;
    const [a, b] = [this.#sets[one]!, this.#sets[other]!];
    const isTaken = (lock: number): boolean =>
      b.exclusive.includes(lock) || b.shared.includes(lock);
    return a.exclusive.some(isTaken) || a.shared.some((lock) => b.exclusive.includes(lock));
  }
}
