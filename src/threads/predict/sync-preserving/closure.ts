/**
 * The smallest part of a trace that must have happened for two threads to stand where they are to stand.
 * A part is, by thread, how many of its first events. `raise` adds what a thread knew; `close` adds what
 * locks ask for: of two critical sections of one lock, both begun in the part, the earlier one is complete.
 *
 *   T1  acquire m  write x  release m  write y
 *   T2                                           acquire m  write z
 *
 * With T1 before its write of x and T2 before its write of z, T1's section is open and T2's began later:
 * the part has to grow to T1's release, so the write of x is in it, and cannot stand beside that of z.
 */
import type { CriticalSections } from './critical-sections.ts';

export class Part {
  counts: Int32Array;

  constructor(width: number) {
    this.counts = new Int32Array(width);
  }

  widen(width: number): void {
    if (width <= this.counts.length) return;
    const wider = new Int32Array(Math.max(width, 2 * this.counts.length));
    wider.set(this.counts);
    this.counts = wider;
  }

  copy(other: Part): void {
    this.widen(other.counts.length);
    this.counts.set(other.counts);
  }

  raise(by: ArrayLike<number>): void {
    const { counts } = this;
    for (let i = 0; i < by.length; i++) if (counts[i]! < by[i]!) counts[i] = by[i]!;
  }

  raiseOne(thread: number, count: number): void {
    if (this.counts[thread]! < count) this.counts[thread] = count;
  }
}

/** Why `close` came back: the part is closed, or it has reached an event that it must not have. */
export type Closed = 'closed' | 'reached';

export class Closure {
  readonly #sections: CriticalSections;
  /** How often a part had to grow, by the last call of `close`. */
  steps = 0;

  constructor(sections: CriticalSections) {
    this.#sections = sections;
  }

  /** Grows the part until it is closed, or has event `index` of `thread`. */
  close(part: Part, width: number, thread: number, index: number): Closed {
    this.steps = 0;
    const { counts } = part;
    // Each thread's own part has to be looked at again after any other has grown.
    for (let one = 0, unchanged = 0; unchanged < width; one = (one + 1) % width) {
      unchanged++;
      let held = this.#sections.heldAfter(one, counts[one]!);
      while (held !== undefined) {
        const { section } = held;
        if (!this.#sections.isOvertaken(section, counts)) {
          held = held.further;
          continue;
        }
        // A trace in which two hold a lock at once promises nothing: rather no race than a false one.
        if (section.release === undefined) return 'reached';
        this.steps++;
        part.raise(section.release.others);
        part.raiseOne(one, section.release.index);
        if (counts[thread]! >= index) return 'reached';
        unchanged = 0;
        held = this.#sections.heldAfter(one, counts[one]!);
      }
    }
    return 'closed';
  }
}
