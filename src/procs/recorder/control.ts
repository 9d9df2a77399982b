/**
 * A few words of memory that the recording thread and the main thread share. The recording thread
 * blocks in waitpid and can neither receive messages nor run timers; it looks here at each stop.
 */
import { type Tid, tid } from '../../linux/ids.ts';
import { ENDING_SIGNALS, type Interruptible } from '../../linux/interruption.ts';

const MUST_END = 0;
const ALIVE = 1;
const INTERRUPTED_BY = 2;
const WORDS = 3;

/** In the place of a task. */
const NOBODY_YET = 0;
const NOBODY_ANY_MORE = -1;

export class RecordingControl implements Interruptible {
  readonly shared: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(shared = new SharedArrayBuffer(WORDS * 4)) {
    this.shared = shared;
    this.#words = new Int32Array(shared);
  }

  get mustEnd(): boolean {
    return Atomics.load(this.#words, MUST_END) === 1;
  }

  demandEnd(): void {
    Atomics.store(this.#words, MUST_END, 1);
  }

  /** Some task of the tree that is alive; undefined before the first and after the last. */
  get alive(): Tid | undefined {
    const task = Atomics.load(this.#words, ALIVE);
    return task === NOBODY_YET || task === NOBODY_ANY_MORE ? undefined : tid(task);
  }

  set alive(task: Tid | undefined) {
    Atomics.store(this.#words, ALIVE, task ?? NOBODY_ANY_MORE);
  }

  /** Whether the last task of the tree is gone. */
  get hasEnded(): boolean {
    return Atomics.load(this.#words, ALIVE) === NOBODY_ANY_MORE;
  }

  /** The signal by which the user asked for the end. */
  get interruptedBy(): number | undefined {
    return Atomics.load(this.#words, INTERRUPTED_BY) || undefined;
  }

  set interruptedBy(signal: number) {
    Atomics.store(this.#words, INTERRUPTED_BY, signal);
  }
}

/** For processes that are not ours to end: only the recording ends. */
export function endRecordingOnSignal(control: RecordingControl): () => void {
  const end = (): void => control.demandEnd();
  for (const name of ENDING_SIGNALS) process.on(name, end);
  return () => {
    for (const name of ENDING_SIGNALS) process.off(name, end);
  };
}
