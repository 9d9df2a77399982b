/**
 * A run that is made before anybody knows whether it is needed, by a thread that would have nothing to do
 * otherwise: the second run of a branch, beside its first.
 *
 *   first    ├──────────────┤ checks: a lost update
 *   beside   ├───────────────┤ checks: again; harmful, after the time of one run
 *
 * If the first shows nothing, the other is ended then and there, and what it has left is of no use.
 */
import type { Attempted, AttemptThread } from './attempt-thread.ts';
import type { Way } from './request.ts';

/** What a run needs of a thread. */
export type RunningThread = Pick<AttemptThread, 'run' | 'interrupt'>;

export class RunBeside {
  readonly #thread: RunningThread;
  readonly #run: Promise<Attempted | undefined>;
  #hasEnded = false;
  #isCancelled = false;

  constructor(thread: RunningThread, way: Way, folder: string, limitMs: number) {
    this.#thread = thread;
    this.#run = thread.run(way, folder, limitMs).finally(() => {
      this.#hasEnded = true;
    });
    // Whoever wants to know hears of a failure when they ask.
    this.#run.catch(() => undefined);
  }

  /** Settled when the thread can do something else. */
  get ended(): Promise<unknown> {
    return this.#run.catch(() => undefined);
  }

  /** undefined if it proves nothing: it was cancelled, could not run that way, or failed by our own fault. */
  async result(): Promise<Attempted | undefined> {
    const attempted = await this.#run.catch(() => undefined);
    return this.#isCancelled ? undefined : attempted;
  }

  /** Ends it, if it has not ended yet. Settled when nobody uses its folder any more. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    // The thread may be making somebody else's run by now.
    if (!this.#hasEnded) this.#thread.interrupt();
    await this.ended;
  }
}
