/** The main thread's side of worker.ts: one attempt after the other, none longer than allowed. */
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { InternalError } from '../../base/assert.ts';
import { builtFile } from '../../base/built-file.ts';
import { fromPlainError } from '../../base/plain-error.ts';
import { type Progress, tellProgress } from '../../base/progress.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { RecordingControl } from '../recorder/control.ts';
import type { OutsidePeer } from '../replay/outside/outside-peers.ts';
import { drainInto } from './drains.ts';
import {
  type Answer,
  END,
  type Found,
  type Request,
  type ThreadTask,
  type Tried,
  type Way,
} from './request.ts';
import { StandIns } from './stand-ins.ts';
import { TimeLimit } from './time-limit.ts';

/** An attempt that was made. */
export interface Attempted {
  readonly outcome: RunOutcome;
  readonly diverged?: string | undefined;
  readonly outOfTurn?: string | undefined;
  readonly told?: Tried['told'];
  readonly milliseconds: number;
}

/** What a thread has read and found. */
export interface Started {
  readonly found: Found | undefined;
  /** What the program will miss: missing-surroundings.ts. */
  readonly missing: readonly string[];
  /** What that took of a processor's time. */
  readonly processorMs: number;
}

const POKE_MS = 20;
const LONGEST_LOADING_MS = 2000;

export class AttemptThread {
  readonly #worker: Worker;
  readonly #mayTell: () => boolean;
  readonly #drains: Promise<void>[] = [];
  #standIns: StandIns | undefined;
  #outside: readonly OutsidePeer[] = [];
  #current: RecordingControl | undefined;
  #hasEnded = false;
  #isReady = false;
  /** Until it has read the recording, or failed to. */
  #beginning: Promise<void> = Promise.resolve();
  /** Before it was that of the recorded program. */
  #ownUmask: number | undefined;

  /** `mayTell`: of many threads at once, it is for others to tell how far they have come. */
  constructor(task: ThreadTask, mayTell = (): boolean => true) {
    this.#mayTell = mayTell;
    const options = { workerData: task, trackUnmanagedFds: false };
    this.#worker = new Worker(builtFile('workers/validate.js'), options);
    const isGone = (): void => {
      this.#isReady = false;
    };
    this.#worker.once('error', isGone).once('exit', isGone);
  }

  /** It waits for requests, or is doing what one asks for. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Reads the recording, and finds its races if they are asked for. */
  async start(): Promise<Started> {
    const answered = this.#answer();
    this.#beginning = answered.then(
      () => undefined,
      () => undefined,
    );
    const answer = await answered;
    if (answer.kind !== 'ready') throw new InternalError(`answered ${answer.kind}`);
    this.#isReady = true;
    const { found, umask, missing, outside, processorMs } = answer;
    this.#outside = outside;
    // A thread has none of its own; what it starts inherits ours. If nobody waited for it, ours is back already.
    if (!this.#hasEnded) this.#ownUmask = process.umask(umask);
    return { found, missing, processorMs };
  }

  /** undefined: the program cannot run that way. */
  async run(way: Way, folder: string, limitMs: number): Promise<Attempted | undefined> {
    const control = new RecordingControl();
    this.#current = control;
    // What comes after somebody had no answer proves nothing.
    const standIns = new StandIns(this.#outside, () => this.interrupt());
    this.#standIns = standIns;
    const limit = new TimeLimit(control, limitMs, () => {
      standIns.hasHung();
      endNow(control);
    });
    const began = performance.now();
    try {
      const request: Request = { way, folder, control: control.shared };
      this.#worker.postMessage(request);
      const answer = await this.#answer();
      if (answer.kind !== 'tried') throw new InternalError(`answered ${answer.kind}`);
      await Promise.all(this.#drains.splice(0));
      const trouble = await standIns.trouble();
      const tried = answer.tried && { ...answer.tried, diverged: trouble ?? answer.tried.diverged };
      return tried && attempted(tried, limit.wasExceeded, performance.now() - began);
    } finally {
      standIns.close();
      limit.stop();
      this.#current = undefined;
    }
  }

  /** Ends what is running; the attempt then answers. */
  interrupt(): void {
    if (this.#current) endNow(this.#current);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    if (this.#ownUmask !== undefined) process.umask(this.#ownUmask);
    // A thread that is ended while it loads native code may take the whole process with it.
    await Promise.race([
      this.#beginning,
      setTimeout(LONGEST_LOADING_MS, undefined, { ref: false }),
    ]);
    // What it is clearing away is to be gone then; nobody waits for anything else.
    if (this.#isReady && !this.#current) await this.#endInPeace();
    else await this.#worker.terminate();
  }

  #endInPeace(): Promise<void> {
    return new Promise((resolve) => {
      this.#worker.once('exit', () => resolve());
      this.#worker.postMessage(END);
    });
  }

  #answer(): Promise<Extract<Answer, { kind: 'ready' | 'tried' }>> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker;
      const hear = (answer: Answer): void => {
        if (answer.kind === 'progress') {
          if (this.#mayTell()) tell(answer.progress);
          return;
        }
        if (answer.kind === 'drain') {
          this.#drains.push(drainInto(answer.drain));
          return;
        }
        if (answer.kind === 'stand-in') {
          this.#standIns?.add(answer.peer, answer.listening);
          return;
        }
        if (answer.kind === 'say') {
          this.#standIns?.mayBeSaid(answer.utterances);
          return;
        }
        worker.off('message', hear).off('error', reject).off('exit', gone);
        if (answer.kind === 'broken') reject(fromPlainError(answer.error));
        else resolve(answer);
      };
      const gone = (): void => {
        if (!this.#hasEnded) reject(new InternalError('the thread ended without a word'));
      };
      worker.on('message', hear).on('error', reject).on('exit', gone);
    });
  }
}

const tell = ({ doing, done, total }: Progress): void => tellProgress(doing, done, total);

const attempted = (
  { outcome, diverged, outOfTurn, told }: Tried,
  hung: boolean,
  milliseconds: number,
): Attempted => ({
  outcome: { ...outcome, hung },
  diverged,
  outOfTurn,
  told,
  milliseconds,
});

/** The killed task's stop wakes the thread, which then kills all the others. */
function endNow(control: RecordingControl): void {
  control.demandEnd();
  const task = control.alive;
  if (control.hasEnded) return;
  // The program has not been started yet.
  if (task === undefined) globalThis.setTimeout(() => endNow(control), POKE_MS).unref();
  else {
    try {
      sendSignal(task, Signal.SIGKILL);
    } catch {
      // Already gone: then the thread is awake anyway.
    }
  }
}
