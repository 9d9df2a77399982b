/** Several threads that run attempts, each in a sandbox of its own; whoever is free gets the next. */
import { assert } from '../../base/assert.ts';
import { type Attempted, AttemptThread, type Started } from './attempt-thread.ts';
import type { Found, ThreadTask, Way } from './request.ts';

export class AttemptPool {
  readonly #threads: AttemptThread[] = [];
  readonly #free: AttemptThread[] = [];
  readonly #waiting: ((thread: AttemptThread) => void)[] = [];
  readonly #task: ThreadTask;
  #isInterrupted = false;
  #tellInterruption = (): void => {};
  readonly #interruption = new Promise<void>((resolve) => {
    this.#tellInterruption = resolve;
  });

  private constructor(task: ThreadTask) {
    this.#task = task;
  }

  /** With one thread, which has read the recording and found its races. */
  static async start(
    task: ThreadTask,
  ): Promise<{ pool: AttemptPool } & Found & Pick<Started, 'missing'>> {
    const pool = new AttemptPool(task);
    const { found, missing } = await pool.#add();
    assert(found, 'nobody has looked for races');
    return { pool, ...found, missing };
  }

  /** Each thread reads the recording for itself; those that are there need not wait for that. */
  async growTo(size: number): Promise<void> {
    const missing = this.#isInterrupted ? 0 : Math.max(0, size - this.#threads.length);
    const grown = Promise.all(Array.from({ length: missing }, () => this.#add()));
    await Promise.race([grown, this.#interruption]);
  }

  /** undefined: the program cannot run that way, or nothing is to run any more. */
  async run(way: Way, folder: string, limitMs: number): Promise<Attempted | undefined> {
    const thread = await this.#next();
    try {
      return this.#isInterrupted ? undefined : await thread.run(way, folder, limitMs);
    } finally {
      this.#release(thread);
    }
  }

  /** Ends all that is running, for good. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#tellInterruption();
    for (const thread of this.#threads) thread.interrupt();
  }

  async end(): Promise<void> {
    // The last one first: each puts back what it found, and only the first has found what was ours.
    await Promise.all([...this.#threads].reverse().map((thread) => thread.end()));
  }

  async #next(): Promise<AttemptThread> {
    return this.#free.pop() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #add(): Promise<Started> {
    const thread = new AttemptThread(this.#task);
    this.#threads.push(thread);
    const started = await thread.start();
    this.#release(thread);
    return started;
  }

  #release(thread: AttemptThread): void {
    const next = this.#waiting.shift();
    if (next) next(thread);
    else this.#free.push(thread);
  }
}
