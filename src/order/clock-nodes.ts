/**
 * The nodes that clocks (`clock.ts`) are made of. A node covers 4, 16, 64… neighbouring slots and
 * has four children: nodes, or at level 0 the counts of its four slots. It is five integers in one
 * long list; its place in that list is its name:
 *
 *   header: first slot << 4 | level     child 0     child 1     child 2     child 3
 *
 *   level 0, slots 4…7, slot 5 has count 3:    4 << 4 | 0,  0, 3, 0, 0
 *
 * A third of the size of JavaScript objects with the same fields, and nothing for the garbage
 * collector to follow. In return nothing is ever freed: right for the graph, which keeps the clock
 * of every event anyway.
 *
 * Limits: slots below 2^27, and 2^31 integers (400 million nodes).
 */
import { assert } from '../base/assert.ts';
import type { Brand } from '../base/brand.ts';
import type { Slot } from './ids.ts';
import { Int32List } from './int32-list.ts';

/** A node. It is at the same time the clock that knows what is below it, and nothing else. */
export type Clock = Brand<number, 'Clock'>;

export const emptyClock = 0 as Clock;

/** Which slots a node covers. */
export type Header = Brand<number, 'Header'>;

const wordsPerNode = 5;

export class ClockNodes {
  readonly #words = new Int32List();

  constructor() {
    this.#words.push(0); // So that no node is called `emptyClock`.
  }

  get count(): number {
    return (this.#words.length - 1) / wordsPerNode;
  }

  header(node: Clock): Header {
    return this.#words.at(node) as Header;
  }

  /** A node, or a count at level 0. */
  child(node: Clock, digit: number): number {
    return this.#words.at(node + 1 + digit);
  }

  childClock(node: Clock, digit: number): Clock {
    return this.child(node, digit) as Clock;
  }

  add(header: Header, first: number, second: number, third: number, fourth: number): Clock {
    const node = this.#words.length as Clock;
    this.#words.push(header);
    this.#words.push(first);
    this.#words.push(second);
    this.#words.push(third);
    this.#words.push(fourth);
    return node;
  }

  addLeaf(slot: Slot, count: number): Clock {
    const leaf = this.add(headerFor(slot, 0), 0, 0, 0, 0);
    this.#words.set(leaf + 1 + (slot & 3), count);
    return leaf;
  }

  /** The lowest node that has room for two nodes of which neither covers the other. */
  addParent(a: Clock, b: Clock): Clock {
    const slotA = firstSlot(this.header(a));
    const slotB = firstSlot(this.header(b));
    const highestDifferentBit = 31 - Math.clz32(slotA ^ slotB);
    const header = headerFor(slotA, highestDifferentBit >>> 1);
    const parent = this.add(header, 0, 0, 0, 0);
    this.#words.set(parent + 1 + digitOf(header, slotA), a);
    this.#words.set(parent + 1 + digitOf(header, slotB), b);
    return parent;
  }

  /** A copy with another child, or the node itself when it has that child already. */
  withChild(node: Clock, digit: number, child: number): Clock {
    if (child === this.child(node, digit)) return node;
    const copy = this.#words.length as Clock;
    for (let word = 0; word < wordsPerNode; word++) this.#words.push(this.#words.at(node + word));
    this.#words.set(copy + 1 + digit, child);
    return copy;
  }
}

export function levelOf(header: Header): number {
  return header & 15;
}

export function firstSlot(header: Header): Slot {
  return (header >>> 4) as Slot;
}

export function covers(header: Header, slot: Slot): boolean {
  return (firstSlot(header) ^ slot) >>> (2 * levelOf(header) + 2) === 0;
}

/** Which child of a node covers `slot`. */
export function digitOf(header: Header, slot: Slot): number {
  return (slot >>> (2 * levelOf(header))) & 3;
}

function headerFor(slot: Slot, level: number): Header {
  assert(slot < 2 ** 27, 'too many slots for a clock');
  const bitsBelow = 2 * level + 2;
  return ((((slot >>> bitsBelow) << bitsBelow) << 4) | level) as Header;
}
