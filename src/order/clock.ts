/**
 * Vector clocks that stay small. A clock says how many events of each slot (a chain of tasks, see
 * `chains.ts`) are known to have happened. As a plain array it would be as wide as there are slots:
 * ten thousand numbers in each of a million events. And yet two neighbouring events know nearly
 * the same. So a clock is an immutable tree, and a new clock shares with the old one all that did
 * not change. A child process starts with its parent's very tree: forking copies nothing.
 *
 *   { slot 0: 7, slot 2: 1, slot 5: 3 }  =  [slots 0…15]─┬─[slots 0…3: 7 0 1 0]
 *                                                        └─[slots 4…7: 0 3 0 0]
 *
 * Learning that slot 5 has reached 4 makes two new nodes; [7 0 1 0] belongs to both trees. A level
 * that would have a single child is left out (a Patricia tree, as in Okasaki and Gill, "Fast
 * Mergeable Integer Maps"), so the size depends on how many slots are known, not on their numbers.
 *
 * Limits: joining clocks that truly differ in n slots costs n in time and memory, as it does with
 * arrays.
 */
import {
  type Clock,
  ClockNodes,
  covers,
  digitOf,
  emptyClock,
  firstSlot,
  levelOf,
} from './clock-nodes.ts';
import type { Slot } from './ids.ts';

export class Clocks {
  readonly #nodes = new ClockNodes();

  /** How many nodes all clocks together consist of: a measure of memory, 20 bytes each. */
  get nodeCount(): number {
    return this.#nodes.count;
  }

  /** How many events of `slot` are known to have happened. */
  countOf(clock: Clock, slot: Slot): number {
    let node = clock;
    while (node !== emptyClock) {
      const header = this.#nodes.header(node);
      if (!covers(header, slot)) return 0;
      const child = this.#nodes.child(node, digitOf(header, slot));
      if (levelOf(header) === 0) return child;
      node = child as Clock;
    }
    return 0;
  }

  /** The same clock with another count for `slot`; 0 forgets the slot. */
  with(clock: Clock, slot: Slot, count: number): Clock {
    const nodes = this.#nodes;
    if (clock === emptyClock) return nodes.addLeaf(slot, count);
    const header = nodes.header(clock);
    if (!covers(header, slot)) return nodes.addParent(clock, nodes.addLeaf(slot, count));
    const digit = digitOf(header, slot);
    if (levelOf(header) === 0) return nodes.withChild(clock, digit, count);
    const child = this.with(nodes.childClock(clock, digit), slot, count);
    return nodes.withChild(clock, digit, child);
  }

  /** All that either clock knows: `a` or `b` itself if that one came of the other by learning. */
  join(a: Clock, b: Clock): Clock {
    if (a === b || b === emptyClock) return a;
    if (a === emptyClock) return b;
    const nodes = this.#nodes;
    const header = nodes.header(a);
    const otherHeader = nodes.header(b);
    if (header === otherHeader) return this.#joinChildren(a, b);
    if (levelOf(header) < levelOf(otherHeader)) return this.join(b, a);
    if (!covers(header, firstSlot(otherHeader))) return nodes.addParent(a, b);
    const digit = digitOf(header, firstSlot(otherHeader));
    return nodes.withChild(a, digit, this.join(nodes.childClock(a, digit), b));
  }

  /** Some slot of `goal` of which `clock` knows at least as many events as `goal` does. */
  findReached(goal: Clock, clock: Clock): Slot | undefined {
    if (goal === emptyClock || clock === emptyClock) return undefined;
    const nodes = this.#nodes;
    const goalHeader = nodes.header(goal);
    const header = nodes.header(clock);
    const [higher, lower] =
      levelOf(goalHeader) > levelOf(header) ? [goalHeader, header] : [header, goalHeader];
    if (!covers(higher, firstSlot(lower))) return undefined;
    if (levelOf(higher) > levelOf(lower)) {
      const digit = digitOf(higher, firstSlot(lower));
      return higher === goalHeader
        ? this.findReached(nodes.childClock(goal, digit), clock)
        : this.findReached(goal, nodes.childClock(clock, digit));
    }
    for (let digit = 0; digit < 4; digit++) {
      const wanted = nodes.child(goal, digit);
      const known = nodes.child(clock, digit);
      if (levelOf(header) > 0) {
        const found = this.findReached(wanted as Clock, known as Clock);
        if (found !== undefined) return found;
      } else if (wanted > 0 && known >= wanted) return (firstSlot(header) + digit) as Slot;
    }
    return undefined;
  }

  /** Calls `visit` for each slot that has a count, lowest slot first. */
  forEach(clock: Clock, visit: (slot: Slot, count: number) => void): void {
    if (clock === emptyClock) return;
    const header = this.#nodes.header(clock);
    for (let digit = 0; digit < 4; digit++) {
      const child = this.#nodes.child(clock, digit);
      if (levelOf(header) > 0) this.forEach(child as Clock, visit);
      else if (child > 0) visit((firstSlot(header) + digit) as Slot, child);
    }
  }

  #joinChildren(a: Clock, b: Clock): Clock {
    const first = this.#joinChild(a, b, 0);
    const second = this.#joinChild(a, b, 1);
    const third = this.#joinChild(a, b, 2);
    const fourth = this.#joinChild(a, b, 3);
    if (this.#hasChildren(a, first, second, third, fourth)) return a;
    if (this.#hasChildren(b, first, second, third, fourth)) return b;
    return this.#nodes.add(this.#nodes.header(a), first, second, third, fourth);
  }

  #joinChild(a: Clock, b: Clock, digit: number): number {
    const childA = this.#nodes.child(a, digit);
    const childB = this.#nodes.child(b, digit);
    const isLeaf = levelOf(this.#nodes.header(a)) === 0;
    return isLeaf ? Math.max(childA, childB) : this.join(childA as Clock, childB as Clock);
  }

  #hasChildren(node: Clock, first: number, second: number, third: number, fourth: number): boolean {
    return (
      this.#nodes.child(node, 0) === first &&
      this.#nodes.child(node, 1) === second &&
      this.#nodes.child(node, 2) === third &&
      this.#nodes.child(node, 3) === fourth
    );
  }
}
