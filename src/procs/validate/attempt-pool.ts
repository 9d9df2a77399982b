/**
 * Several threads that run attempts, each in a sandbox of its own; whoever is free gets the next. For each race
 * that is being tried a thread is kept, and only those beyond may make runs that nobody may need:
 *
 *   3 threads, 2 races being tried   one run beside (run-beside.ts)
 *   2 threads, 2 races               none: with many races waiting, each run is one that is needed
 */
import { assert } from '../../base/assert.ts';
import { type Attempted, AttemptThread, type Started } from './attempt-thread.ts';
import type { Found, ThreadTask, Way } from './request.ts';
import { RunBeside } from './run-beside.ts';

export type PoolThread = Pick<AttemptThread, 'start' | 'run' | 'interrupt' | 'end' | 'isReady'>;

/** `mayTell`: whether anybody wants to hear how far it has come. */
type MakeThread = (mayTell: () => boolean) => PoolThread;

export class AttemptPool {
  readonly #threads: PoolThread[] = [];
  readonly #free: PoolThread[] = [];
  readonly #waiting: ((thread: PoolThread) => void)[] = [];
  readonly #beside = new Set<RunBeside>();
  readonly #makeThread: MakeThread;
  /** How many runs may go on at once, however many threads there are. */
  mostAtOnce = Number.POSITIVE_INFINITY;
  #racesBeingTried = 0;
  #grownMs = 0;
  #isInterrupted = false;
  #tellInterruption = (): void => {};
  readonly #interruption = new Promise<void>((resolve) => {
    this.#tellInterruption = resolve;
  });

  private constructor(makeThread: MakeThread) {
    this.#makeThread = makeThread;
  }

  /** With one thread, which has read the recording and found its races. */
  static async start(
    task: ThreadTask,
    makeThread: MakeThread = (mayTell) => new AttemptThread(task, mayTell),
  ): Promise<{ pool: AttemptPool } & Found & Pick<Started, 'missing'>> {
    const pool = new AttemptPool(makeThread);
    const { found, missing } = await pool.#add();
    assert(found, 'nobody has looked for races');
    return { pool, ...found, missing };
  }

  /** Each thread reads the recording for itself; those that are there need not wait for that. */
  async growTo(size: number): Promise<void> {
    const missing = this.#isInterrupted ? 0 : Math.max(0, size - this.#threads.length);
    const more = async (): Promise<void> => {
      this.#grownMs += (await this.#add()).processorMs;
    };
    const grown = Promise.all(Array.from({ length: missing }, more));
    await Promise.race([grown, this.#interruption]);
  }

  /** What it has taken of processors' time to get further threads ready. */
  get grownMs(): number {
    return this.#grownMs;
  }

  /** Keeps a thread for a race for as long as that is being tried. */
  async trying<T>(race: () => Promise<T>): Promise<T> {
    this.#racesBeingTried++;
    try {
      return await race();
    } finally {
      this.#racesBeingTried--;
    }
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

  /** Whether a run can be made that takes nothing away from a race. */
  get hasSpareThread(): boolean {
    const ready = this.#threads.filter(({ isReady }) => isReady).length;
    const taken = this.#racesBeingTried + this.#beside.size;
    const isSpare = Math.min(ready, this.mostAtOnce) > taken;
    return isSpare && this.#free.length > 0 && !this.#isInterrupted;
  }

  /** By a thread that is spare. */
  runBeside(way: Way, folder: string, limitMs: number): RunBeside {
    assert(this.hasSpareThread, 'no thread is spare');
    const thread = this.#free.pop()!;
    const beside = new RunBeside(thread, way, folder, limitMs);
    this.#beside.add(beside);
    void beside.ended.then(() => {
      this.#beside.delete(beside);
      // One that has died would never answer again; there is another one for each race.
      if (thread.isReady) this.#release(thread);
    });
    return beside;
  }

  /** Ends all that is running, for good. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#tellInterruption();
    for (const thread of this.#threads) thread.interrupt();
  }

  async end(): Promise<void> {
    await Promise.all([...this.#beside].map((beside) => beside.cancel()));
    // The last one first: each puts back what it found, and only the first has found what was ours.
    await Promise.all([...this.#threads].reverse().map((thread) => thread.end()));
  }

  async #next(): Promise<PoolThread> {
    return this.#free.pop() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #add(): Promise<Started> {
    const isFirst = this.#threads.length === 0;
    // While races are tried, these are what is counted.
    const thread = this.#makeThread(() => isFirst && this.#racesBeingTried === 0);
    this.#threads.push(thread);
    const started = await thread.start();
    this.#release(thread);
    return started;
  }

  #release(thread: PoolThread): void {
    const next = this.#waiting.shift();
    if (next) next(thread);
    else this.#free.push(thread);
  }
}
