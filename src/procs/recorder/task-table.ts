/**
 * The tasks of the recorded tree that are alive, and the one awkward thing about them: a child's
 * first stop may come before its parent's report of the fork. The child then waits, so that its
 * birth is recorded before anything it does. But a parent that is killed inside fork never reports
 * it; so those who wait for a process are released when its last task has gone. A thread that ends of
 * itself is not inside fork. But an exec ends the other threads wherever they are, and the process lives
 * on: whom its children were that have not been reported by then is looked up, and these do not wait.
 */
import { type Pid, type Tid, tid } from '../../linux/ids.ts';
import { childrenOf } from '../../linux/running-process.ts';
import type { PassedArguments } from './changed-calls.ts';
import type { OpenCall } from './open-call.ts';
import { numbersOf, type TaskNumbers } from './task-numbers.ts';
import type { Holder } from './tracee-files.ts';

export interface TaskState extends Holder {
  /** The call it is in, if that is one we record. */
  call: OpenCall | undefined;
  /** The call that a signal broke off, until the task enters another one. */
  interrupted: OpenCall | undefined;
  /** Arguments that it passed, where others were put in their place for the time of the call. */
  replaced: PassedArguments | undefined;
  /** The conductor wants it to stay at the end of its last call. */
  isHeld?: boolean;
  /** Its end has been recorded. */
  hasExited: boolean;
  /** A note has said that its 32-bit calls are not recorded. */
  notedForeignCalls: boolean;
}

export class TaskTable {
  readonly #alive = new Map<Tid, TaskState>();
  /** Tasks that have not been announced by their parent. */
  readonly #waiting = new Map<Tid, TaskNumbers | undefined>();
  /** Tasks that were recorded without their parent's word, which may still come. */
  readonly #recordedEarly = new Set<Tid>();
  /** Tasks that nobody will announce, until they are there. */
  readonly #unannounced = new Set<Tid>();
  /** Processes that have had more than one thread since their last exec. */
  readonly #threaded = new Set<Pid>();

  add(task: Tid, process: Pid): void {
    this.#waiting.delete(task);
    this.#unannounced.delete(task);
    if (task !== tid(process)) this.#threaded.add(process);
    const state = {
      task,
      process,
      call: undefined,
      interrupted: undefined,
      replaced: undefined,
      hasExited: false,
      notedForeignCalls: false,
    };
    this.#alive.set(task, state);
  }

  get(task: Tid): TaskState | undefined {
    return this.#alive.get(task);
  }

  some(condition: (state: TaskState) => boolean): boolean {
    for (const state of this.#alive.values()) if (condition(state)) return true;
    return false;
  }

  /** A non-leader thread that called execve goes on under its leader's number. */
  rename(from: Tid, to: Tid): void {
    const state = this.#alive.get(from);
    this.#alive.delete(from);
    if (!state) return;
    state.task = to;
    this.#alive.set(to, state);
  }

  /** The first stop of a task that nobody has announced yet. */
  wait(task: Tid): void {
    this.#recordedEarly.delete(task);
    this.#waiting.set(task, numbersOf(task));
  }

  /** Whether it has stopped and is waiting to be announced. */
  isWaiting(task: Tid): boolean {
    return this.#waiting.has(task);
  }

  /** As they were at its first stop, if it is waiting; asked for otherwise. */
  numbersOf(task: Tid): TaskNumbers | undefined {
    return this.#waiting.get(task) ?? numbersOf(task);
  }

  /** Gives up waiting for the parent's word; returns who that would have been. */
  stopWaiting(task: Tid): Pid | undefined {
    this.#recordedEarly.add(task);
    return creatorOf(this.#waiting.get(task));
  }

  /** Whether the parent's word comes too late to matter. */
  isOldNews(task: Tid): boolean {
    return this.#recordedEarly.delete(task);
  }

  remove(task: Tid): TaskState | undefined {
    const state = this.#alive.get(task);
    this.#alive.delete(task);
    this.#waiting.delete(task);
    this.#unannounced.delete(task);
    return state;
  }

  /** All other threads of the process are gone. */
  execed(process: Pid): void {
    if (!this.#threaded.delete(process)) return;
    for (const child of childrenOf(process)) {
      if (!this.#alive.has(tid(child))) this.#unannounced.add(tid(child));
    }
  }

  /** The tasks whose announcement will never come. */
  orphans(): Tid[] {
    return [...this.#waiting].flatMap(([task, numbers]) => {
      const creator = this.#unannounced.has(task) ? undefined : creatorOf(numbers);
      const canStillTell = creator !== undefined && this.hasProcess(creator);
      return canStillTell ? [] : [task];
    });
  }

  /** Whether any of its tasks is alive; one thread's end is mostly not its process's. */
  hasProcess(process: Pid): boolean {
    if (this.#alive.has(tid(process))) return true;
    for (const state of this.#alive.values()) if (state.process === process) return true;
    return false;
  }

  /** Someone who is alive, the oldest first. */
  get survivor(): Tid | undefined {
    const [alive = this.#waiting.keys().next().value] = this.#alive.keys();
    return alive;
  }

  *[Symbol.iterator](): Generator<Tid> {
    yield* this.#alive.keys();
    yield* this.#waiting.keys();
  }
}

/** The process that created a task: its own for a thread, its parent otherwise. */
function creatorOf(numbers: TaskNumbers | undefined): Pid | undefined {
  return numbers?.isThread ? numbers.process : numbers?.parent;
}
