/**
 * All accesses so far, in lists: one for each variable, thread and class of accesses. For each other thread
 * a list remembers how many of its accesses can never race with what that thread does from now on.
 *
 * Most lists have nothing to say to a new access, because it knows all of them: so the last of each list
 * of a variable stand side by side, and the lists themselves are seldom looked at.
 */

import { CLASS_COUNT, doConflict } from '../access-class.ts';
import { ByNumber } from '../by-number.ts';
import { grown } from '../grown.ts';

export class AccessList {
  readonly thread: number;
  /** Among the events of the thread. */
  readonly indexes: number[] = [];
  /** Their numbers in `AccessLists`. */
  readonly accesses: number[] = [];
  /** By thread, how many from the beginning are out of the question for it. */
  readonly #settled: number[] = [];
  /** By thread, a part of the trace that all pairs that are left have before them; see closure.ts. */
  readonly floors: (Int32Array | undefined)[] = [];

  constructor(thread: number) {
    this.thread = thread;
  }

  settledFor(thread: number): number {
    return this.#settled[thread] ?? 0;
  }

  settle(thread: number, count: number): void {
    while (this.#settled.length <= thread) this.#settled.push(0);
    this.#settled[thread] = count;
  }
}

/** Those of one variable. */
class ListsOfVariable {
  /** Thread and class of each list in one number, and the last index in it. */
  readonly keys: number[] = [];
  readonly lastIndexes: number[] = [];
  readonly lists: AccessList[] = [];
}

export class AccessLists {
  #count = 0;
  #ops = new Uint8Array(64);
  #sites = new Uint32Array(64);
  #events = new Float64Array(64);
  readonly #others: (readonly number[])[] = [];
  readonly #variables = new ByNumber(() => new ListsOfVariable());

  /** Calls `visit` for each list of other threads with conflicting accesses that are not all known. */
  visitUnknown(
    variable: number,
    thread: number,
    accessClass: number,
    others: readonly number[],
    visit: (list: AccessList) => void,
  ): void {
    const { keys, lastIndexes, lists } = this.#variables.at(variable);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const rival = Math.floor(key / CLASS_COUNT);
      if (rival === thread || !doConflict(key % CLASS_COUNT, accessClass)) continue;
      if (lastIndexes[i]! > (others[rival] ?? 0)) visit(lists[i]!);
    }
  }

  /** `others`: what its thread knew before it. */
  add(
    variable: number,
    thread: number,
    accessClass: number,
    index: number,
    event: number,
    op: number,
    site: number,
    others: readonly number[],
  ): void {
    const access = this.#count++;
    this.#ops = grown(this.#ops, this.#count);
    this.#sites = grown(this.#sites, this.#count);
    this.#events = grown(this.#events, this.#count);
    this.#ops[access] = op;
    this.#sites[access] = site;
    this.#events[access] = event;
    this.#others.push(others);
    const { keys, lastIndexes, lists } = this.#variables.at(variable);
    const key = thread * CLASS_COUNT + accessClass;
    let place = keys.indexOf(key);
    if (place < 0) {
      place = keys.push(key) - 1;
      lists.push(new AccessList(thread));
    }
    lastIndexes[place] = index;
    lists[place]!.indexes.push(index);
    lists[place]!.accesses.push(access);
  }

  opOf(access: number): number {
    return this.#ops[access]!;
  }

  siteOf(access: number): number {
    return this.#sites[access]!;
  }

  eventOf(access: number): number {
    return this.#events[access]!;
  }

  othersOf(access: number): readonly number[] {
    return this.#others[access]!;
  }
}
