/**
 * Of each variable, the accesses that a later one has to be compared with: for each class of accesses (read,
 * write, atomic …) those that happened before no other of that class. Whoever comes after one of them has
 * all before it behind itself, too.
 *
 *   T1 write x   T1 release m   T2 acquire m   T2 write x        the last write of x is T2's
 *   T3 write x                                                   the last writes are T2's and T3's
 *
 * Nearly always that is one, and it is kept in a few numbers; there is a list only while there are several.
 */
import { CLASS_COUNT } from './access-class.ts';
import type { ThreadClocks } from './clocks.ts';
import { grown } from './grown.ts';

export interface LastAccess {
  readonly thread: number;
  /** Among the events of its thread. */
  readonly index: number;
  readonly event: number;
  readonly op: number;
  readonly site: number;
}

/** thread + 1 (0: there is none, MANY: a list has them), index or list, op, site. */
const WIDTH = 4;
const MANY = 0xffffffff;

export class LastAccesses {
  #numbers = new Uint32Array(CLASS_COUNT * WIDTH * 64);
  #events = new Float64Array(CLASS_COUNT * 64);
  readonly #lists: LastAccess[][] = [];
  readonly #freeLists: number[] = [];

  /** The place of a variable's last accesses of a class. */
  placeOf(variable: number, accessClass: number): number {
    const place = variable * CLASS_COUNT + accessClass;
    if (place >= this.#events.length) this.#makeRoom(place);
    return place;
  }

  /** Those at a place which did not happen before the newest event of `thread`. */
  visitUnordered(
    place: number,
    clocks: ThreadClocks,
    thread: number,
    visit: (access: LastAccess) => void,
  ): void {
    const owner = this.#numbers[place * WIDTH]!;
    if (owner === 0 || owner === thread + 1) return;
    if (owner === MANY) {
      for (const one of this.#lists[this.#numbers[place * WIDTH + 1]!]!) {
        if (!clocks.knows(thread, one.thread, one.index)) visit(one);
      }
    } else if (!clocks.knows(thread, owner - 1, this.#numbers[place * WIDTH + 1]!)) {
      visit(this.#single(place));
    }
  }

  /** The newest event of its thread is an access. */
  add(
    place: number,
    clocks: ThreadClocks,
    thread: number,
    index: number,
    event: number,
    op: number,
    site: number,
  ): void {
    const at = place * WIDTH;
    const owner = this.#numbers[at]!;
    if (owner === MANY) {
      this.#addToList(place, clocks, { thread, index, event, op, site });
    } else if (owner === 0 || clocks.knows(thread, owner - 1, this.#numbers[at + 1]!)) {
      this.#setSingle(place, thread, index, event, op, site);
    } else {
      const list = [this.#single(place), { thread, index, event, op, site }];
      const number = this.#freeLists.pop() ?? this.#lists.length;
      this.#lists[number] = list;
      this.#numbers[at] = MANY;
      this.#numbers[at + 1] = number;
    }
  }

  #addToList(place: number, clocks: ThreadClocks, access: LastAccess): void {
    const number = this.#numbers[place * WIDTH + 1]!;
    const list = this.#lists[number]!;
    let kept = 0;
    for (const one of list) {
      if (!clocks.knows(access.thread, one.thread, one.index)) list[kept++] = one;
    }
    list.length = kept;
    list.push(access);
    if (kept > 0) return;
    this.#freeLists.push(number);
    const { thread, index, event, op, site } = access;
    this.#setSingle(place, thread, index, event, op, site);
  }

  #single(place: number): LastAccess {
    const at = place * WIDTH;
    return {
      thread: this.#numbers[at]! - 1,
      index: this.#numbers[at + 1]!,
      event: this.#events[place]!,
      op: this.#numbers[at + 2]!,
      site: this.#numbers[at + 3]!,
    };
  }

  #setSingle(
    place: number,
    thread: number,
    index: number,
    event: number,
    op: number,
    site: number,
  ): void {
    const at = place * WIDTH;
    this.#numbers[at] = thread + 1;
    this.#numbers[at + 1] = index;
    this.#numbers[at + 2] = op;
    this.#numbers[at + 3] = site;
    this.#events[place] = event;
  }

  #makeRoom(place: number): void {
    this.#events = grown(this.#events, place + 1);
    this.#numbers = grown(this.#numbers, this.#events.length * WIDTH);
  }
}
