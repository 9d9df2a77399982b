/**
 * All correct reorderings of a small trace, one step at a time: which pairs of accesses come to stand next
 * to each other? A state is how many events each thread has done, which store each variable
 * has last, and in which order conditions were waited for and signalled.
 */
import { isStore, Op } from '../../model/op.ts';
import { isKept } from './direct-edges.ts';
import { areRivals, type Event, sourceOf } from './events.ts';

export interface Rules {
  /** Acquires that exclude each other come in the order of the trace. */
  readonly preservesSync: boolean;
  /** What conditions and semaphores did in the trace they do again; or else what they could do, too. */
  readonly keepsWakeups: boolean;
  /** Each read finds the store that it found in the trace. */
  readonly keepsReads: boolean;
}

export function racesByReordering(events: readonly Event[], rules: Rules): Set<string> {
  const search = new Search(events, rules);
  search.explore();
  return search.races;
}

class Search {
  readonly races = new Set<string>();
  readonly #events: readonly Event[];
  readonly #rules: Rules;
  readonly #threads: readonly number[];
  /** How many events each of them has done. */
  readonly #counts: number[];
  readonly #variables: readonly number[];
  readonly #byThread: readonly number[][];
  readonly #sources: readonly number[];
  readonly #needed: readonly number[][];
  readonly #seen = new Set<string>();
  readonly #done = new Set<number>();
  readonly #order: number[] = [];

  constructor(events: readonly Event[], rules: Rules) {
    this.#events = events;
    this.#rules = rules;
    this.#threads = [...new Set(events.map(({ thread }) => thread))];
    this.#counts = this.#threads.map(() => 0);
    const accesses = events.filter(({ op }) => op <= Op.atomicUpdate);
    this.#variables = [...new Set(accesses.map(({ target }) => target))];
    this.#byThread = this.#threads.map((thread) =>
      [...events.keys()].filter((i) => events[i]!.thread === thread),
    );
    this.#sources = [...events.keys()].map((i) => sourceOf(events, i));
    this.#needed = [...events.keys()].map((j) =>
      [...events.keys()].filter((i) => i < j && this.#needs(i, j)),
    );
  }

  explore(): void {
    const stores = this.#variables.map((one) => this.#lastStore(one));
    const key = `${this.#counts} ${stores} ${this.#order.filter((i) => this.#isAboutWaits(i))}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const next = this.#byThread.flatMap((own, thread) => {
      const i = own[this.#counts[thread]!];
      const isReady = i !== undefined && this.#needed[i]!.every((other) => this.#done.has(other));
      return isReady ? [i] : [];
    });
    for (const one of next) {
      for (const other of next) {
        if (one < other && areRivals(this.#events[one]!, this.#events[other]!)) {
          this.races.add(`${one} ${other}`);
        }
      }
    }
    for (const i of next) {
      if (!this.#isPossible(i)) continue;
      const thread = this.#threads.indexOf(this.#events[i]!.thread);
      this.#done.add(i);
      this.#order.push(i);
      this.#counts[thread]!++;
      this.explore();
      this.#counts[thread]!--;
      this.#order.pop();
      this.#done.delete(i);
    }
  }

  #needs(i: number, j: number): boolean {
    const { op } = this.#events[j]!;
    if (!this.#rules.keepsWakeups && (op === Op.waitEnd || op === Op.waitDone)) {
      return this.#events[i]!.thread === this.#events[j]!.thread || this.#isForkOf(i, j);
    }
    return isKept(this.#events, i, j);
  }

  /** Whether somebody is woken depends on the order of these. */
  #isAboutWaits(i: number): boolean {
    const { op } = this.#events[i]!;
    return !this.#rules.keepsWakeups && op >= Op.waitBegin && op <= Op.broadcast;
  }

  #isForkOf(i: number, j: number): boolean {
    return this.#events[i]!.op === Op.fork && this.#events[i]!.target === this.#events[j]!.thread;
  }

  #isPossible(i: number): boolean {
    const { op, target } = this.#events[i]!;
    if (op === Op.read || op === Op.atomicRead || op === Op.atomicUpdate) {
      return !this.#rules.keepsReads || this.#lastStore(target) === this.#sources[i];
    }
    if (op === Op.acquire || op === Op.acquireShared) return this.#canAcquire(i);
    if (this.#rules.keepsWakeups) return true;
    if (op === Op.waitDone) return this.#canPass(i);
    return op !== Op.waitEnd || this.#isWoken(i);
  }

  #canAcquire(i: number): boolean {
    const { thread, op, target } = this.#events[i]!;
    const isExclusive = (one: Op): boolean => one === Op.acquire || one === Op.release;
    let held = 0;
    for (const one of this.#order) {
      const other = this.#events[one]!;
      const isLock = other.op >= Op.acquire && other.op <= Op.releaseShared;
      if (!isLock || other.target !== target || other.thread === thread) continue;
      if (!isExclusive(op) && !isExclusive(other.op)) continue;
      const isAcquire = other.op === Op.acquire || other.op === Op.acquireShared;
      if (isAcquire && this.#rules.preservesSync && one > i) return false;
      held += isAcquire ? 1 : -1;
    }
    return held === 0;
  }

  /** A semaphore begins with as much as the trace needs. */
  #canPass(i: number): boolean {
    const { target } = this.#events[i]!;
    const change = (one: number): number => {
      const event = this.#events[one]!;
      if (event.target !== target) return 0;
      return event.op === Op.post ? 1 : event.op === Op.waitDone ? -1 : 0;
    };
    let [sum, least] = [0, 0];
    for (const one of this.#events.keys()) {
      sum += change(one);
      least = Math.min(least, sum);
    }
    return this.#order.reduce((count, one) => count + change(one), -least) > 0;
  }

  /** By any signal since it began to wait, if one woke it in the trace. */
  #isWoken(i: number): boolean {
    const kept = (order: readonly number[]): boolean => {
      const events = [...order, i].map((one) => this.#events[one]!);
      const isSignal = ({ op }: Event): boolean => op === Op.signal || op === Op.broadcast;
      return events.some((one, k) => isSignal(one) && isKept(events, k, order.length));
    };
    return kept(this.#order) || !kept([...Array(i).keys()]);
  }

  #lastStore(variable: number): number {
    const isInto = (i: number): boolean =>
      isStore(this.#events[i]!.op) && this.#events[i]!.target === variable;
    return this.#order.findLast(isInto) ?? -1;
  }
}
