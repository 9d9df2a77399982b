/**
 * Where the threads of a process are just now, and whom they were called by: a few samples by the clock, which stop
 * nobody. Threads that sleep and wake thousands of times a second feel it all the same, as the clock does each time.
 *
 *   take(threads)     begins to look at some of them
 *   …
 *   take([])          what was seen: 0x55e0c0de1a20, 0x55e0c0de3f04 …; with threads, the next ones are looked at
 *
 * Who called is taken from the top of the stack, where old calls may have left something as well: it is a hint of what
 * is run, and not more. Threads that sleep are not seen.
 */
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
import { SampledThread, type ThreadSample } from '../../linux/perf-samples.ts';

/** Plain users may have so much memory for rings, and no more. */
const MOST_THREADS = 8;
const RING_PAGES = 4;
/** After so much of its time on a processor a thread is sampled. */
const EVERY_NS = 1_000_000;
/** So much of a stack is looked through. */
const STACK_BYTES = 1024;

export class RunningCode {
  #looks: SampledThread[] = [];
  #next = 0;

  /** Empty if the kernel does not allow to look. */
  take(threads: readonly Tid[]): readonly bigint[] {
    const seen = this.#looks.flatMap(({ ring }) => ring.take().samples.flatMap(wordsOf));
    this.close();
    for (let count = Math.min(MOST_THREADS, threads.length); count > 0; count--) {
      this.#begin(threads[this.#next++ % threads.length]!);
    }
    return seen;
  }

  close(): void {
    for (const look of this.#looks) look.close();
    this.#looks = [];
  }

  #begin(target: Tid): void {
    const event = { type: 'software', name: 'cpu-clock' } as const;
    const every = { events: EVERY_NS };
    const look = tryTo(() => new SampledThread({ event, target, every }, RING_PAGES));
    if (look.ok) this.#looks.push(look.value);
  }
}

/** The instruction, and whatever may be a place to return to. */
function wordsOf({ registers, stack }: ThreadSample): bigint[] {
  const words = [registers.get('rip')];
  const end = Math.min(STACK_BYTES, stack.bytes.length) - 8;
  for (let at = 0; at <= end; at += 8) words.push(stack.bytes.readBigUInt64LE(at));
  return words;
}
