/**
 * The accesses of a process to granules that matter, in the order of their times, as columns; and by which
 * generation of which granule they are about.
 */
import { growingBytes, growingFloats, growingShorts, growingWords } from '../growing.ts';

export const AccessFlag = {
  /** On the stack of the thread itself. */
  ownStack: 1,
  /** Other threads were there at that time. */
  amongOthers: 2,
  /** Not the first granule of the access. */
  continued: 4,
  /** Its thread had waited for another one before, which may have handed over what it is about. */
  afterMeeting: 8,
  /** Where the sample's code goes on to (follower.ts): a loop over a buffer gives many of these for one sample. */
  followed: 16,
} as const;

export class AccessTable {
  readonly generations = growingWords();
  /** Which of the granule's bytes, from the lowest bit. */
  readonly masks = growingBytes();
  readonly sites = growingWords();
  /** Thread and locks together: see `Contexts`. */
  readonly contexts = growingWords();
  readonly segments = growingWords();
  readonly times = growingFloats();
  readonly flags = growingBytes();
  /** The highest number of a thread that was there by then. */
  readonly started = growingShorts();
  /** Since when, at the latest, its thread had taken no lock. */
  readonly quietSince = growingFloats();
  /** Which sample of the process has told of it. */
  readonly samples = growingWords();

  get length(): number {
    return this.sites.length;
  }

  add(
    generation: number,
    mask: number,
    site: number,
    context: number,
    segment: number,
    time: number,
    flags: number,
    started: number,
    quietSince: number,
    sample: number,
  ): void {
    this.generations.push(generation);
    this.masks.push(mask);
    this.sites.push(site);
    this.contexts.push(context);
    this.segments.push(segment);
    this.times.push(time);
    this.flags.push(flags);
    this.started.push(started);
    this.quietSince.push(quietSince);
    this.samples.push(sample);
  }

  /** Calls `visit` with the accesses of each generation, as numbers, in the order of their times. */
  forEachGeneration(
    count: number,
    visit: (generation: number, accesses: Uint32Array) => void,
  ): void {
    const starts = new Uint32Array(count + 1);
    const generations = this.generations.values;
    for (let at = 0; at < this.length; at++) starts[generations[at]! + 1]!++;
    for (let at = 0; at < count; at++) starts[at + 1]! += starts[at]!;
    const next = starts.slice(0, count);
    const order = new Uint32Array(this.length);
    for (let at = 0; at < this.length; at++) order[next[generations[at]!]!++] = at;
    for (let generation = 0; generation < count; generation++) {
      visit(generation, order.subarray(starts[generation]!, starts[generation + 1]!));
    }
  }
}

/** Thread and locks by one number. */
export class Contexts {
  readonly threads: number[] = [];
  readonly locksets: number[] = [];
  readonly #numbers = new Map<number, number>();

  numberOf(thread: number, lockset: number): number {
    const key = lockset * 65536 + thread;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.threads.length;
    this.threads.push(thread);
    this.locksets.push(lockset);
    this.#numbers.set(key, number);
    return number;
  }
}
