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

  private constructor(task: ThreadTask) {
    this.#task = task;
  }

  /** With one thread, which has read the recording and found its races. */
  static async start(task: ThreadTask): Promise<{ pool: AttemptPool; found: Found }> {
    const pool = new AttemptPool(task);
    const { found } = await pool.#add();
    assert(found, 'nobody has looked for races');
    return { pool, found };
  }

  /** Each thread reads the recording for itself. */
  async growTo(size: number): Promise<void> {
    const missing = Math.max(0, size - this.#threads.length);
    await Promise.all(Array.from({ length: missing }, () => this.#add()));
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
    for (const thread of this.#threads) thread.interrupt();
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  async #next(): Promise<AttemptThread> {
    return this.#free.pop() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #add(): Promise<Omit<Started, 'thread'>> {
    const { thread, ...started } = await AttemptThread.start(this.#task);
    this.#threads.push(thread);
    this.#release(thread);
    return started;
  }

  #release(thread: AttemptThread): void {
    const next = this.#waiting.shift();
    if (next) next(thread);
    else this.#free.push(thread);
  }
}
