/**
 * The tasks of the recorded tree that are alive, and the one awkward thing about them: a child's
 * first stop may come before its parent's report of the fork. The child then waits, so that its
 * birth is recorded before anything it does. But a parent that is killed inside fork never reports
 * it; so whenever a task goes, those who wait for its process are released.
 */
import { type Pid, type Tid, tid } from '../../linux/ids.ts';
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

  add(task: Tid, process: Pid): void {
    this.#waiting.delete(task);
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
    return state;
  }

  /** The tasks whose announcement will never come, now that `lost` is gone. */
  orphans(lost?: Pid): Tid[] {
    return [...this.#waiting].flatMap(([task, numbers]) => {
      const creator = creatorOf(numbers);
      const canStillTell = creator !== undefined && creator !== lost && this.hasProcess(creator);
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
