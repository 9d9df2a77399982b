/**
 * Who holds which lock while a trace is gone through, so that each time a lock is taken becomes one step,
 * and so does each time it is given back, whatever the trace begins or ends with:
 *
 *   acquire(m) acquire(m) release(m) release(m)      one lock, one unlock
 *   release(m) without any acquire                   the trace began while it was held
 *   T1 acquire(m), T2 acquire(m)                     T1 died: it gives the lock back in between
 */
export class HeldLocks {
  /** By lock: who holds it alone, and how often. */
  readonly #owners = new Map<number, { thread: number; depth: number }>();
  /** By lock: who shares it, and how often. */
  readonly #readers = new Map<number, Map<number, number>>();
  readonly #everTaken = new Set<number>();
  /** By lock: the thread that held it alone when the trace began. */
  readonly firstOwners = new Map<number, number>();
  /** By lock: how many shared it when the trace began. */
  readonly firstReaders = new Map<number, number>();

  /** Those who have to have given it back before this thread can take it. */
  inTheWay(lock: number, thread: number, shared: boolean): { owner?: number; readers: number[] } {
    const owner = this.#owners.get(lock)?.thread;
    const readers = shared ? [] : [...(this.#readers.get(lock)?.keys() ?? [])];
    const others = readers.filter((one) => one !== thread);
    return owner === undefined || owner === thread
      ? { readers: others }
      : { owner, readers: others };
  }

  forget(lock: number, thread: number): void {
    if (this.#owners.get(lock)?.thread === thread) this.#owners.delete(lock);
    this.#readers.get(lock)?.delete(thread);
  }

  /** Whether others notice: not if it held it before. */
  take(lock: number, thread: number, shared: boolean): boolean {
    this.#everTaken.add(lock);
    const owner = this.#owners.get(lock);
    if (owner?.thread === thread) {
      owner.depth++;
      return false;
    }
    const readers = this.#readers.get(lock) ?? new Map<number, number>();
    const depth = readers.get(thread);
    if (depth !== undefined || shared) {
      this.#readers.set(lock, readers.set(thread, (depth ?? 0) + 1));
      return depth === undefined;
    }
    this.#owners.set(lock, { thread, depth: 1 });
    return true;
  }

  /** Whether others notice: not if it still holds it. */
  give(lock: number, thread: number, shared: boolean): boolean {
    const owner = this.#owners.get(lock);
    if (owner?.thread === thread) {
      if (--owner.depth > 0) return false;
      this.#owners.delete(lock);
      return true;
    }
    const readers = this.#readers.get(lock);
    const depth = readers?.get(thread);
    if (readers !== undefined && depth !== undefined) {
      if (depth > 1) readers.set(thread, depth - 1);
      else readers.delete(thread);
      return depth === 1;
    }
    return this.#heldBefore(lock, thread, shared);
  }

  isShared(lock: number, thread: number): boolean {
    return this.#readers.get(lock)?.has(thread) ?? false;
  }

  #heldBefore(lock: number, thread: number, shared: boolean): boolean {
    if (this.#everTaken.has(lock) || this.firstOwners.has(lock)) return false;
    if (shared) {
      this.firstReaders.set(lock, (this.firstReaders.get(lock) ?? 0) + 1);
      return true;
    }
    if (this.firstReaders.has(lock)) return false;
    this.firstOwners.set(lock, thread);
    return true;
  }
}
