/**
 * Racing pairs, folded: all on one variable at the same two sites are one, with the pair that came first
 * and a count. Of a variable with more pairs of sites than `MOST_PER_VARIABLE` only those that came first
 * are kept, and the rest is counted: whoever mends these will find the others, and a variable that every
 * line of a program races on must not fill the memory.
 *
 *   add(y, w@12 of event 0, w@31 of event 7)   → kept
 *   add(y, w@31 of event 9, w@12 of event 20)  → the same sites: counted
 *
 * Columns of numbers with a hash table over them, since a long trace may have millions of pairs.
 */

import { grown } from './grown.ts';
import { EMPTY_SLOT, HashSlots } from './hash-slots.ts';
import type { Access, FoundPair } from './race.ts';

const MOST_PER_VARIABLE = 64;

export class FoldedPairs {
  #count = 0;
  #unfolded = 0;
  /** For each pair: variable, lower site, higher site, threads, sites and ops of its accesses. */
  #numbers = new Uint32Array(64 * WIDTH);
  #events = new Float64Array(64 * 2);
  #occurrences = new Float64Array(64);
  #pairsOf = new Uint16Array(64);
  readonly #slots = new HashSlots();
  readonly #mostPerVariable: number;

  constructor(mostPerVariable = MOST_PER_VARIABLE) {
    this.#mostPerVariable = mostPerVariable;
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** How many occurrences belong to none, since their variable had enough. */
  get unfolded(): number {
    return this.#unfolded;
  }

  has(variable: number, site: number, otherSite: number): boolean {
    const [low, high] = site < otherSite ? [site, otherSite] : [otherSite, site];
    return this.#find(variable, low, high) !== EMPTY_SLOT;
  }

  add(
    variable: number,
    event: number,
    thread: number,
    op: number,
    site: number,
    otherEvent: number,
    otherThread: number,
    otherOp: number,
    otherSite: number,
  ): void {
    const low = Math.min(site, otherSite);
    const high = Math.max(site, otherSite);
    const known = this.#find(variable, low, high);
    if (known !== EMPTY_SLOT) {
      this.#occurrences[known]!++;
      return;
    }
    this.#pairsOf = grown(this.#pairsOf, variable + 1);
    if (this.#pairsOf[variable]! >= this.#mostPerVariable) {
      this.#unfolded++;
      return;
    }
    this.#pairsOf[variable]!++;
    const pair = this.#count++;
    this.#numbers = grown(this.#numbers, this.#count * WIDTH);
    this.#events = grown(this.#events, this.#count * 2);
    this.#occurrences = grown(this.#occurrences, this.#count);
    const row = [variable, low, high, thread, op, site, otherThread, otherOp, otherSite];
    this.#numbers.set(row, pair * WIDTH);
    this.#events[2 * pair] = event;
    this.#events[2 * pair + 1] = otherEvent;
    this.#occurrences[pair] = 1;
    this.#slots.insert(pair, (other) => this.#hashOf(other));
  }

  *all(): Generator<FoundPair> {
    for (let pair = 0; pair < this.#count; pair++) {
      const at = pair * WIDTH;
      yield {
        variable: this.#numbers[at]!,
        first: this.#access(at + 3, this.#events[2 * pair]!),
        second: this.#access(at + 6, this.#events[2 * pair + 1]!),
        occurrences: this.#occurrences[pair]!,
      };
    }
  }

  #access(at: number, event: number): Access {
    const numbers = this.#numbers;
    return { event, thread: numbers[at]!, op: numbers[at + 1]!, site: numbers[at + 2]! };
  }

  #find(variable: number, low: number, high: number): number {
    const numbers = this.#numbers;
    const slots = this.#slots;
    for (let slot = slots.first(hash(variable, low, high)); ; slot = slots.after(slot)) {
      const pair = slots.at(slot);
      if (pair === EMPTY_SLOT) return EMPTY_SLOT;
      const at = pair * WIDTH;
      if (numbers[at] === variable && numbers[at + 1] === low && numbers[at + 2] === high) {
        return pair;
      }
    }
  }

  #hashOf(pair: number): number {
    const at = pair * WIDTH;
    return hash(this.#numbers[at]!, this.#numbers[at + 1]!, this.#numbers[at + 2]!);
  }
}

const WIDTH = 9;

function hash(variable: number, low: number, high: number): number {
  let mixed = Math.imul(variable, 0x9e3779b1) ^ Math.imul(low, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d) ^ Math.imul(high, 0x27d4eb2f);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
