/**
 * Who holds which lock, so that the events keep the rules of a trace (model/op.ts): nobody lets go of what
 * they do not hold, and no lock has two holders, unless they share it.
 */
export class LockHolders {
  /** By lock: one more than the thread that has it alone, and how often. */
  readonly #holders: number[] = [];
  readonly #depths: number[] = [];
  /** By lock: who shares it, and how often each. */
  readonly #sharers = new Map<number, Map<number, number>>();
  /** By thread. */
  readonly #locks: Set<number>[] = [];

  acquire(lock: number, thread: number, isShared: boolean): void {
    this.#locks[thread] ??= new Set();
    this.#locks[thread].add(lock);
    if (isShared) {
      const sharers = this.#sharers.get(lock) ?? new Map<number, number>();
      this.#sharers.set(lock, sharers);
      sharers.set(thread, (sharers.get(thread) ?? 0) + 1);
      return;
    }
    this.#depths[lock] = this.#holders[lock] === thread + 1 ? this.#depths[lock]! + 1 : 1;
    this.#holders[lock] = thread + 1;
  }

  /** The thread must hold it. */
  release(lock: number, thread: number): void {
    if (this.#holders[lock] === thread + 1) {
      if (--this.#depths[lock]! > 0) return;
      this.#holders[lock] = 0;
    } else {
      const sharers = this.#sharers.get(lock)!;
      const times = sharers.get(thread)!;
      if (times > 1) sharers.set(thread, times - 1);
      else sharers.delete(thread);
      if (times > 1) return;
    }
    this.#locks[thread]!.delete(lock);
  }

  /** How a thread holds it, if at all. */
  howHeld(lock: number, thread: number): 'shared' | 'alone' | undefined {
    if (this.#holders[lock] === thread + 1) return 'alone';
    return this.#sharers.get(lock)?.has(thread) ? 'shared' : undefined;
  }

  /** Who must have let go of it, if a thread acquires it like this. */
  inTheWay(lock: number, thread: number, isShared: boolean): readonly number[] {
    const holder = (this.#holders[lock] ?? 0) - 1;
    if (holder < 0 && (isShared || this.#sharers.size === 0)) return NOBODY;
    const alone = holder >= 0 && (holder !== thread || isShared) ? [holder] : [];
    if (isShared) return alone;
    const sharers = this.#sharers.get(lock);
    return sharers === undefined || sharers.size === 0 ? alone : [...alone, ...sharers.keys()];
  }

  heldBy(thread: number): number[] {
    return [...(this.#locks[thread] ?? [])];
  }
}

const NOBODY: readonly number[] = [];
