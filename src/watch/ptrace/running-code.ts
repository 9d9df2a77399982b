/**
 * Where the threads of a process are just now, and whom they were called by: a few samples by the clock, which stop
 * nobody and are not felt.
 *
 *   take(threads)     begins to look at some of them
 *   …
 *   take(threads)     what was seen: 0x55e0c0de1a20, 0x55e0c0de3f04 …; and the next ones are looked at
 *
 * Who called is taken from the top of the stack, where old calls may have left something as well: it is a hint of what
 * is run, and not more. Threads that sleep are not seen.
 */
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
import { allowSamples, closeEvent, openEvent, type PerfEventFd } from '../../linux/perf-event.ts';
import { SAMPLED, SampleRing, type ThreadSample } from '../../linux/perf-samples.ts';

/** Plain users may have so much memory for rings, and no more. */
const MOST_THREADS = 8;
const RING_PAGES = 4;
/** After so much of its time on a processor a thread is sampled. */
const EVERY_NS = 1_000_000;
/** So much of a stack is looked through. */
const STACK_BYTES = 1024;

interface Look {
  readonly event: PerfEventFd;
  readonly ring: SampleRing;
}

export class RunningCode {
  #looks: Look[] = [];
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
    for (const { event, ring } of this.#looks) {
      ring.close();
      closeEvent(event);
    }
    this.#looks = [];
  }

  #begin(thread: Tid): void {
    const opened = tryTo(() =>
      openEvent({
        event: { type: 'software', name: 'cpu-clock' },
        target: thread,
        every: { events: EVERY_NS },
        startDisabled: true,
        ...SAMPLED,
      }),
    );
    if (!opened.ok) return;
    const event = opened.value;
    const begun = tryTo(() => {
      const ring = new SampleRing(event, RING_PAGES);
      this.#looks.push({ event, ring });
      allowSamples(event, ring.room);
    });
    if (!begun.ok && this.#looks.at(-1)?.event !== event) closeEvent(event);
  }
}

/** The instruction, and whatever may be a place to return to. */
function wordsOf({ registers, stack }: ThreadSample): bigint[] {
  const words = [registers.get('rip')];
  const end = Math.min(STACK_BYTES, stack.bytes.length) - 8;
  for (let at = 0; at <= end; at += 8) words.push(stack.bytes.readBigUInt64LE(at));
  return words;
}
