/**
 * Has the processor watch some bytes of a process, and tells who writes to them. Nobody is stopped, and no signal is
 * sent: the kernel notes down the registers and the stack of whoever does it, in a ring for each thread.
 *
 *   const watch = new WriteWatch(process, { address: 0x4040n, size: 4 });
 *   …every few milliseconds…
 *   watch.tend()          // samples of writers, each behind its instruction
 *   watch.close()
 *
 * Each thread may be sampled a few times between two calls of `tend`, so that those who write there by right, and all
 * the time, are hardly slowed down. Threads that are new get watched then, too: who comes and goes in between is not
 * seen, nor are writes by the kernel on behalf of somebody, as by read(2).
 */
import { tryTo } from '../base/result.ts';
import type { Pid, Tid } from './ids.ts';
import { allowSamples } from './perf-event.ts';
import { SampledThread, type ThreadSample } from './perf-samples.ts';
import { threadsOf } from './running-process.ts';
import { SystemError } from './system-error.ts';

export interface WatchedVariable {
  readonly address: bigint;
  /** The address is a multiple of it. */
  readonly size: 1 | 2 | 4 | 8;
}

export class WriteWatch {
  readonly #process: Pid;
  readonly #variable: WatchedVariable;
  readonly #threads = new Map<Tid, SampledThread>();
  readonly #pages: number;

  /** Throws a SystemError if the kernel does not allow it, or all debug registers are in use. */
  constructor(process: Pid, variable: WatchedVariable) {
    this.#process = process;
    this.#variable = variable;
    const threads = threadsOf(process);
    this.#pages = pagesFor(threads.length);
    for (const thread of threads) {
      const added = tryTo(() => this.#add(thread));
      // Plain users may run out of memory for rings: some threads are better than none.
      if (!added.ok && this.#threads.size === 0) throw added.error;
    }
  }

  /** Who has written since the last time; and so many more may be. */
  tend(): ThreadSample[] {
    const alive = new Set(threadsOf(this.#process));
    const samples: ThreadSample[] = [];
    for (const [thread, watched] of this.#threads) {
      const taken = watched.ring.take();
      samples.push(...taken.samples);
      // Newer kernels (6.18) do not enable a watchpoint again that has used up what it was allowed.
      if (!alive.has(thread) || taken.records >= watched.ring.room) this.#remove(thread, watched);
      else if (taken.records > 0) allowSamples(watched.event, taken.records);
      if (this.#threads.has(thread)) alive.delete(thread);
    }
    // Should there be no room for them, others are still watched.
    for (const thread of alive) void tryTo(() => this.#add(thread));
    return samples;
  }

  close(): void {
    for (const [thread, watched] of this.#threads) this.#remove(thread, watched);
  }

  #add(thread: Tid): void {
    const sampled = sampledWriter(thread, this.#variable, this.#pages);
    if (sampled) this.#threads.set(thread, sampled);
  }

  #remove(thread: Tid, sampled: SampledThread): void {
    this.#threads.delete(thread);
    sampled.close();
  }
}

/** How large their rings are: plain users may only have so much memory for that. */
const pagesFor = (threads: number): number => (threads <= 8 ? 32 : threads <= 32 ? 16 : 8);

/** undefined if it has just ended. */
function sampledWriter(
  thread: Tid,
  variable: WatchedVariable,
  pages: number,
): SampledThread | undefined {
  const event = { type: 'breakpoint', ...variable, on: 'write' } as const;
  try {
    return new SampledThread({ event, target: thread, every: { events: 1 } }, pages);
  } catch (error) {
    if (error instanceof SystemError && error.code === 'ESRCH') return undefined;
    throw error;
  }
}
