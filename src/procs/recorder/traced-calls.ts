/**
 * The calls of traced tasks, from their entry to their end. A signal may break one off in between:
 *
 *   14 stops at the entry of read(0, …)     looked up, stamped; goes on to the end of the call
 *   14 stops at its end: -512               broken off; no record yet
 *   14 stops at the entry of read(0, …)     the same again: it keeps its first stamp
 *   14 stops at its end: 6                  a call record
 */
import { errnoNumber } from '../../linux/errno.ts';
import type { Tid } from '../../linux/ids.ts';
import { rewindCall } from '../../linux/inject.ts';
import { readRegisters, type SyscallInfo } from '../../linux/ptrace.ts';
import { isNativeCall, OUR_MARK } from '../../linux/seccomp.ts';
import { suspendFilters } from '../../linux/suspended-filters.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { MADE_UP_CALLS } from '../model/made-up-calls.ts';
import { isRefused } from '../model/recorded-calls.ts';
import { isStartingCall } from './call-stops.ts';
import { answerCall, changeResult, replaceArguments } from './changed-calls.ts';
import type { EnteredCall, Release } from './conductor.ts';
import { endsByHandler, isBrokenOff, recordOfCall } from './ended-call.ts';
import { KeptBytes } from './kept-bytes.ts';
import { collectedBy, isSameAgain, type OpenCall, openCall } from './open-call.ts';
import { FOREIGN_CALLS_NOTE } from './program-input.ts';
import type { TaskState } from './task-table.ts';
import type { TracedTree } from './traced-tree.ts';
import { keepTraced } from './untraced-clones.ts';

const ENOSYS = errnoNumber('ENOSYS') ?? 0;

export class TracedCalls {
  readonly #tree: TracedTree;
  #keptBytes: KeptBytes | undefined;

  constructor(tree: TracedTree) {
    this.#tree = tree;
  }

  /** It has made none yet. */
  begins(root: Tid): void {
    this.#keptBytes = new KeptBytes(root, (record) => this.#tree.append(record));
  }

  /** The first path that was passed to the call it is in. */
  pathOf(task: Tid): string | undefined {
    return this.#tree.tasks.get(task)?.call?.paths[0]?.path;
  }

  /** It stands at the entry of a call, and is to make it otherwise, or not at all. */
  change({ task, instead, answer }: Release): void {
    const state = this.#tree.tasks.get(task);
    if (instead && state) state.replaced = replaceArguments(task, instead);
    if (answer !== undefined) answerCall(task, answer);
  }

  /** Out of the call that it has just entered; it comes to it again, after any signals. */
  rewind(task: Tid): void {
    const state = this.#tree.tasks.get(task);
    if (state) state.call = undefined;
    rewindCall(task, readRegisters(task));
    this.#tree.resume(task);
  }

  entered(task: Tid, info: SyscallInfo): void {
    if (info.at === 'seccomp' && info.mark !== OUR_MARK) return this.#refuse(task);
    const { tasks, conductor } = this.#tree;
    const state = tasks.get(task);
    if (state && info.at === 'seccomp') {
      if (isNativeCall(info.architecture, info.number)) {
        const { number, args } = info;
        if (this.#mayPass(task, number, args)) return this.#tree.resume(task);
        if (this.#begin(state, number, args)) return this.#refuse(task);
        const isConducted = !MADE_UP_CALLS.has(number);
        if (conductor && isConducted && (state.call || isStartingCall(number))) {
          return conductor.enters(task, enteredCall(info, state.call));
        }
      } else if (!state.notedForeignCalls) {
        state.notedForeignCalls = true;
        this.#tree.append({ kind: 'note', tid: task, text: FOREIGN_CALLS_NOTE });
      }
    }
    this.#tree.resume(task);
  }

  /** The program's own filter asks for a tracer of its own: without one, the kernel says ENOSYS. */
  #refuse(task: Tid): void {
    answerCall(task, -ENOSYS);
    this.#tree.resume(task);
  }

  /** Whether nobody wants to know of this call. */
  #mayPass(task: Tid, number: number, args: readonly number[]): boolean {
    const { conductor, answers } = this.#tree;
    if (isRefused(number) || answers?.mayAnswer(task, number, args)) return false;
    if (!conductor) return false;
    if (conductor.unneeded?.has(number)) return true;
    if (MADE_UP_CALLS.has(number)) return false;
    const passage = conductor.mayPass(task, number, args);
    const isUnseen = passage === 'passes from now on';
    if (isUnseen && (answers?.isDoneWith(task) ?? true)) suspendFilters(task);
    return passage !== 'stops';
  }

  /** Whether the call is to be refused. */
  #begin(state: TaskState, number: number, args: readonly number[]): boolean {
    const { files, stamps, observer, conductor } = this.#tree;
    keepTraced(state.task, number);
    const { interrupted } = state;
    state.interrupted = undefined;
    if (interrupted && isSameAgain(interrupted, number, args)) {
      state.call = interrupted;
      return false;
    }
    if (interrupted?.brokenOff) {
      const over = { exit: stamps.next(), leftAt: stamps.now() };
      const record = { ...interrupted.brokenOff, ...over };
      observer.append(record);
      conductor?.left(state.task, record, interrupted.args);
    }
    const call = openCall(files, state, number, args, stamps.next(), stamps.now());
    if (call && isRefused(number)) {
      const [exit, leftAt] = [stamps.next(), stamps.now()];
      observer.append(recordOfCall(files, state, call, -ENOSYS, exit, leftAt));
      return true;
    }
    if (call) state.call = call;
    return false;
  }

  left(task: Tid, info: SyscallInfo): void {
    const state = this.#tree.tasks.get(task);
    if (info.at !== 'exit' || !state?.call) return this.#tree.resume(task);
    if (state.replaced) replaceArguments(task, state.replaced);
    this.ended(task, this.#answered(task, state.call, info.result));
  }

  /** The call that it is in, if that is one we record; it may go on. */
  ended(task: Tid, result: number): void {
    const state = this.#tree.tasks.get(task);
    this.#resumeBefore(task, state?.call && this.#finish(state, state.call, result));
  }

  /** What was made up is what it was before. */
  #answered(task: Tid, { number, args }: OpenCall, result: number): number {
    if (!this.#tree.answers || isBrokenOff(result)) return result;
    const given = this.#tree.answers.answer(task, number, args, result);
    if (given === result) return result;
    changeResult(task, given);
    return given;
  }

  /** The record of a call that is over; undefined if it may be entered again. */
  #finish(state: TaskState, call: OpenCall, result: number): CallRecord | undefined {
    const { task } = state;
    this.#keptBytes?.keep(task, call, result);
    const { files, stamps, conductor, namespaced } = this.#tree;
    const [exit, leftAt] = [stamps.next(), stamps.now()];
    const record = recordOfCall(files, state, call, result, exit, leftAt);
    this.#keptBytes?.note(record);
    const collected = collectedBy(task, call, result);
    state.call = undefined;
    state.replaced = undefined;
    const isOver = !isBrokenOff(result);
    const isConducted = isOver && !MADE_UP_CALLS.has(call.number);
    state.isHeld = isConducted && conductor?.left(task, record, call.args) === false;
    if (collected > 0) return { ...record, reaped: namespaced.ours(task, collected) };
    if (isOver) return record;
    // Broken off by a signal: if it is entered again, it keeps its first entry.
    state.interrupted = call;
    if (endsByHandler(result)) call.brokenOff = record;
    return undefined;
  }

  /** The tracee need not wait while we write; but what it did is kept, even if it is dead by now. */
  #resumeBefore(task: Tid, ended: CallRecord | undefined): void {
    try {
      if (!this.#tree.tasks.get(task)?.isHeld) this.#tree.resume(task);
    } finally {
      if (ended) this.#tree.observer.append(ended);
    }
  }
}

function enteredCall(
  { number, args }: { number: number; args: readonly number[] },
  call: OpenCall | undefined,
): EnteredCall {
  return { number, args, path: call?.paths[0]?.path, path2: call?.paths[1]?.path };
}
