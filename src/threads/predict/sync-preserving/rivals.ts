/**
 * Finds those of a list of earlier accesses that race with a new one, and settles those that never will
 * again with anything its thread does (see rung.ts for why).
 */

import { countAtMost } from '../ascending.ts';
import { ByNumber } from '../by-number.ts';
import type { AccessList, AccessLists } from './access-lists.ts';
import { Closure, Part } from './closure.ts';
import type { CriticalSections } from './critical-sections.ts';

/** How many accesses after one that races are looked at, too. */
const FURTHER_ACCESSES = 3;
/** From so many steps on, a list keeps what they led to. */
export const STEPS_WORTH_KEEPING = 8;

export interface Newcomer {
  readonly thread: number;
  readonly index: number;
  /** What its thread knew of others before it. */
  readonly others: readonly number[];
}

/** What must have happened before a thread stands where it does: it grows with the thread. */
class Past {
  readonly part = new Part(8);
  /** What it was made for. */
  others: readonly number[] | undefined;
  lockChanges = -1;
}

export class Rivals {
  readonly #lists: AccessLists;
  readonly #sections: CriticalSections;
  readonly #closure: Closure;
  readonly #stepsWorthKeeping: number;
  readonly #pasts = new ByNumber(() => new Past());
  readonly #part = new Part(8);
  readonly #found: number[] = [];

  constructor(lists: AccessLists, sections: CriticalSections, stepsWorthKeeping: number) {
    this.#stepsWorthKeeping = stepsWorthKeeping;
    this.#lists = lists;
    this.#sections = sections;
    this.#closure = new Closure(sections);
  }

  /** In the order of the list; valid until the next call. `width`: how many threads there are. */
  of(newcomer: Newcomer, list: AccessList, width: number): readonly number[] {
    this.#found.length = 0;
    const past = this.#pastOf(newcomer, width);
    if (list.indexes.at(-1)! <= past.counts[list.thread]!) return this.#found;
    const { thread } = newcomer;
    const part = this.#part;
    part.copy(past);
    const floor = list.floors[thread];
    if (floor !== undefined) part.raise(floor);
    let settled = list.settledFor(thread);
    let steps = 0;
    for (;;) {
      settled = Math.max(settled, countAtMost(list.indexes, part.counts[list.thread]!));
      if (settled === list.indexes.length) break;
      const isRacing = this.#isRacing(settled, list, width);
      steps += this.#closure.steps;
      if (isRacing) break;
      settled++;
    }
    list.settle(thread, settled);
    if (steps >= this.#stepsWorthKeeping) list.floors[thread] = part.counts.slice(0, width);
    if (settled < list.indexes.length) this.#collect(list, settled, width);
    return this.#found;
  }

  /** The one at a place is known to race. */
  #collect(list: AccessList, place: number, width: number): void {
    this.#found.push(list.accesses[place]!);
    const end = Math.min(list.accesses.length, place + 1 + FURTHER_ACCESSES);
    for (let one = place + 1; one < end; one++) {
      if (this.#isRacing(one, list, width)) this.#found.push(list.accesses[one]!);
    }
  }

  /** Grows the part to what is needed before both. */
  #isRacing(place: number, { thread, indexes, accesses }: AccessList, width: number): boolean {
    const index = indexes[place]!;
    const part = this.#part;
    if (part.counts[thread]! >= index) return false;
    part.raise(this.#lists.othersOf(accesses[place]!));
    part.raiseOne(thread, index - 1);
    return this.#closure.close(part, width, thread, index) === 'closed';
  }

  #pastOf({ thread, index, others }: Newcomer, width: number): Part {
    const past = this.#pasts.at(thread);
    past.part.widen(width);
    past.part.raiseOne(thread, index - 1);
    const lockChanges = this.#sections.changesOf(thread);
    if (past.others !== others || past.lockChanges !== lockChanges) {
      past.part.raise(others);
      this.#closure.close(past.part, width, thread, Number.POSITIVE_INFINITY);
      past.others = others;
      past.lockChanges = lockChanges;
    }
    return past.part;
  }
}
