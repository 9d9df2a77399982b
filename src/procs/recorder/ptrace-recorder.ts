/**
 * Records a process tree with ptrace: every task is followed from its birth, and stopped at the
 * calls in recorded-calls.ts, once before and once after. Blocks its thread until the last task
 * is gone, so it runs in a worker (worker.ts).
 *
 * Sequence numbers count our own stops. A call gets one at entry and one at exit; two calls whose
 * intervals do not overlap happened in that order, for calls that do overlap nobody knows.
 */

import { unreachable } from '../../base/assert.ts';
import { decodeBytes } from '../../base/bytes.ts';
import { errnoNumber } from '../../linux/errno.ts';
import { hideVdso } from '../../linux/hidden-vdso.ts';
import { pid, type Tid, tid } from '../../linux/ids.ts';
import { installFilter, rewindCall } from '../../linux/inject.ts';
import { readProcFile } from '../../linux/proc-file.ts';
import {
  listen,
  readRegisters,
  resume,
  type SyscallInfo,
  signalSender,
  syscallInfo,
} from '../../linux/ptrace.ts';
import { isNativeCall, OUR_MARK, traceOnly } from '../../linux/seccomp.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { type Program, startProgram } from '../../linux/start-traced.ts';
import { suspendFilters } from '../../linux/suspended-filters.ts';
import {
  ignoringTheDead,
  nextStop,
  nextStopWithin,
  type TraceeStop,
} from '../../linux/tracee-stop.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { LONGEST_COMMAND_LINE } from '../../trace/records/exec.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import { MADE_UP_CALLS } from '../model/made-up-calls.ts';
import { isRefused } from '../model/recorded-calls.ts';
import type { Answers } from './answers.ts';
import { callStops, isStartingCall } from './call-stops.ts';
import { answerCall, changeResult, replaceArguments } from './changed-calls.ts';
import type { Conductor, EnteredCall } from './conductor.ts';
import { endsByHandler, isBrokenOff, recordOfCall } from './ended-call.ts';
import { isIgnored } from './ignored-signals.ts';
import { KeptBytes } from './kept-bytes.ts';
import type { Observer, RecorderResult } from './observer.ts';
import { collectedBy, isSameAgain, type OpenCall, openCall } from './open-call.ts';
import { getsOnByItself } from './own-pace.ts';
import { FOREIGN_CALLS_NOTE } from './program-input.ts';
import { Stamps, type UnstampedRecord } from './stamps.ts';
import { NamespacedPids, ownPidOf } from './task-numbers.ts';
import { type TaskState, TaskTable } from './task-table.ts';
import { TraceeFiles } from './tracee-files.ts';
import { keepTraced } from './untraced-clones.ts';

const NOTHING = Buffer.alloc(0);
const ENOSYS = errnoNumber('ENOSYS') ?? 0;

export class PtraceRecorder {
  readonly #observer: Observer;
  readonly #tasks = new TaskTable();
  readonly #namespaced = new NamespacedPids();
  readonly #files = new TraceeFiles();
  readonly #stamps = new Stamps();
  #keptBytes: KeptBytes | undefined;
  #root = tid(0);
  /** Process 1 of the sandbox, if we have to do with it. */
  #init: Tid | undefined;
  #rootStatus = 0;
  /** It is to be run again, and so has to read the clock where we see it. */
  #hidesClock = false;

  readonly #conductor: Conductor | undefined;
  readonly #answers: Answers | undefined;

  /** With a conductor, no task goes on before it has said so. */
  constructor(observer: Observer, conductor?: Conductor, answers?: Answers) {
    this.#observer = observer;
    this.#conductor = conductor;
    this.#answers = answers;
  }

  /** Runs the program to the end of its whole tree. */
  run(program: Program): RecorderResult {
    const filter = traceOnly(callStops(this.#conductor, this.#answers));
    const { task: root, numbering } = startProgram(program, (task) => installFilter(task, filter));
    this.#root = root;
    this.#hidesClock = program.sandbox !== undefined;
    this.#init = numbering?.init;
    this.#observer.alive(this.#root);
    this.#announce(this.#root, tid(0), 'root');
    this.#files.learnAll({ task: this.#root, process: pid(this.#root) });
    this.#keptBytes = new KeptBytes(this.#root, (record) => this.#append(record));
    this.#conductor?.begins(this.#root, numbering);
    this.#answers?.begins(this.#root);
    ignoringTheDead(() => this.#execed(this.#root, this.#root, program.path));
    for (let next = this.#nextStop(); next; next = this.#nextStop()) {
      if (this.#observer.mustEnd()) this.#killAll();
      ignoringTheDead(() => this.#handle(next.task, next.stop));
      if (this.#conductor?.hasGivenUp()) this.#killAll();
      this.#release();
    }
    return { status: this.#rootStatus, droppedEvents: 0 };
  }

  /** Blocks; if the conductor cannot wait for ever, it is told when its time is up. */
  #nextStop(): ReturnType<typeof nextStop> {
    for (;;) {
      const patience = this.#conductor?.patience();
      if (patience === undefined) return nextStop();
      const next = nextStopWithin(patience);
      if (next !== 'none yet') return next;
      if (this.#tasks.some(getsOnByItself)) continue;
      // Whoever was on the way to a stop until just now is there.
      const late = nextStopWithin(0);
      if (late !== 'none yet') return late;
      this.#conductor?.stalled();
      if (this.#conductor?.hasGivenUp()) this.#killAll();
      this.#release();
    }
  }

  /** Whom the conductor lets go on. */
  #release(): void {
    for (const release of this.#conductor?.takeReleased() ?? []) {
      const { task, signal, rewind, instead, answer } = release;
      ignoringTheDead(() => {
        const state = this.#tasks.get(task);
        if (instead && state) state.replaced = replaceArguments(task, instead);
        if (answer !== undefined) answerCall(task, answer);
        if (rewind) this.#rewind(task);
        else if (signal) this.#deliver(task, signal);
        else this.#resume(task);
      });
    }
  }

  /** Out of the call that it has just entered; it comes to it again, after any signals. */
  #rewind(task: Tid): void {
    const state = this.#tasks.get(task);
    if (state) state.call = undefined;
    rewindCall(task, readRegisters(task));
    this.#resume(task);
  }

  #handle(task: Tid, stop: TraceeStop): void {
    if (task === this.#init) return this.#handleInit(task, stop);
    switch (stop.kind) {
      case 'started':
        return this.#started(task);
      case 'forked':
        return this.#forked(task, stop.child, stop.how);
      case 'execed':
        return this.#execed(
          task,
          stop.formerTid,
          this.#tasks.get(stop.formerTid)?.call?.paths[0]?.path,
        );
      case 'seccomp':
        return this.#entered(task, syscallInfo(task));
      case 'syscall':
        return this.#left(task, syscallInfo(task));
      case 'signal':
        return this.#signalled(task, stop.signal);
      case 'group-stop':
        return listen(task);
      case 'exiting':
        if (this.#tasks.isWaiting(task)) this.#announceUnasked(task);
        this.#exited(task, stop.status);
        if (this.#conductor) return this.#conductor.exits(task, stop.status);
        return resume(task, 'freely');
      case 'gone':
        return this.#gone(task, stop.status);
    }
    unreachable(stop, 'stop');
  }

  #handleInit(task: Tid, stop: TraceeStop): void {
    if (stop.kind !== 'gone') resume(task, 'freely', stop.kind === 'signal' ? stop.signal : 0);
  }

  #started(task: Tid): void {
    if (this.#tasks.get(task)) return this.#resume(task);
    this.#tasks.wait(task);
    this.#releaseOrphans();
  }

  #forked(parent: Tid, child: Tid, how: StartRecord['how']): void {
    const hasStopped = this.#tasks.isWaiting(child);
    if (!this.#tasks.isOldNews(child)) this.#announce(child, parent, how);
    const isThread = Number(this.#tasks.get(child)?.process ?? child) !== Number(child);
    this.#conductor?.forked(parent, child, isThread ? 'thread' : how);
    this.#answers?.forked(parent, child);
    if (hasStopped) ignoringTheDead(() => resume(child, 'freely'));
    this.#resume(parent);
  }

  #announce(task: Tid, parentTid: Tid, how: StartRecord['how']): void {
    const numbers = this.#tasks.numbersOf(task);
    if (numbers) this.#namespaced.learn(task, numbers);
    const process = numbers?.process ?? pid(task);
    // clone(2) makes processes too, and only the thread group tells.
    const kind = numbers?.isThread ? 'thread' : how === 'thread' ? 'fork' : how;
    const ownPid = numbers && ownPidOf(numbers);
    this.#append({ kind: 'start', tid: task, pid: process, parentTid, how: kind, ownPid });
    this.#tasks.add(task, process);
    const parent = this.#tasks.get(parentTid);
    if (parent && kind !== 'thread') this.#files.descriptions.forked(parent.process, process);
  }

  #releaseOrphans(): void {
    for (const task of this.#tasks.orphans()) {
      this.#announceUnasked(task);
      ignoringTheDead(() => resume(task, 'freely'));
    }
  }

  /** Its parent has not told us of it, and perhaps never will. */
  #announceUnasked(task: Tid): void {
    const creator = this.#tasks.stopWaiting(task);
    this.#announce(task, tid(creator ?? 0), 'fork');
  }

  /** `path` is what execve was told to run. */
  #execed(task: Tid, formerTid: Tid, path = ''): void {
    if (this.#hidesClock) hideVdso(task);
    if (formerTid !== task) this.#tasks.rename(formerTid, task);
    this.#tasks.execed(pid(task));
    this.#releaseOrphans();
    const commandLine = readProcFile(`/proc/${task}/cmdline`, LONGEST_COMMAND_LINE);
    if (formerTid !== task) this.#conductor?.renamed(formerTid, task);
    this.#conductor?.execed(task);
    this.#answers?.execed(task, formerTid);
    this.#append({
      kind: 'exec',
      tid: task,
      path,
      commandLine: decodeBytes(commandLine ?? NOTHING).replace(/\0$/, ''),
    });
    // Nothing but success comes after this: a stop at the end of the call would tell nothing more.
    const state = this.#tasks.get(task);
    const ended = state?.call && this.#finish(state, state.call, 0);
    this.#resumeBefore(task, ended);
  }

  /** The program's own filter asks for a tracer of its own: without one, the kernel says ENOSYS. */
  #refuse(task: Tid): void {
    answerCall(task, -ENOSYS);
    this.#resume(task);
  }

  #entered(task: Tid, info: SyscallInfo): void {
    if (info.at === 'seccomp' && info.mark !== OUR_MARK) return this.#refuse(task);
    const state = this.#tasks.get(task);
    if (state && info.at === 'seccomp') {
      if (isNativeCall(info.architecture, info.number)) {
        const { number, args } = info;
        if (this.#mayPass(task, number, args)) return this.#resume(task);
        if (this.#begin(state, number, args)) return this.#refuse(task);
        const isConducted = !MADE_UP_CALLS.has(number);
        if (this.#conductor && isConducted && (state.call || isStartingCall(number))) {
          return this.#conductor.enters(task, enteredCall(info, state.call));
        }
      } else if (!state.notedForeignCalls) {
        state.notedForeignCalls = true;
        this.#append({ kind: 'note', tid: task, text: FOREIGN_CALLS_NOTE });
      }
    }
    this.#resume(task);
  }

  /** Whether nobody wants to know of this call. */
  #mayPass(task: Tid, number: number, args: readonly number[]): boolean {
    if (isRefused(number) || this.#answers?.mayAnswer(task, number, args)) return false;
    if (!this.#conductor) return false;
    if (this.#conductor.unneeded?.has(number)) return true;
    if (MADE_UP_CALLS.has(number)) return false;
    const passage = this.#conductor.mayPass(task, number, args);
    const isUnseen = passage === 'passes from now on';
    if (isUnseen && (this.#answers?.isDoneWith(task) ?? true)) suspendFilters(task);
    return passage !== 'stops';
  }

  /** Whether the call is to be refused. */
  #begin(state: TaskState, number: number, args: readonly number[]): boolean {
    keepTraced(state.task, number);
    const { interrupted } = state;
    state.interrupted = undefined;
    if (interrupted && isSameAgain(interrupted, number, args)) {
      state.call = interrupted;
      return false;
    }
    if (interrupted?.brokenOff) {
      const over = { exit: this.#stamps.next(), leftAt: this.#stamps.now() };
      const record = { ...interrupted.brokenOff, ...over };
      this.#observer.append(record);
      this.#conductor?.left(state.task, record, interrupted.args);
    }
    const call = openCall(
      this.#files,
      state,
      number,
      args,
      this.#stamps.next(),
      this.#stamps.now(),
    );
    if (call && isRefused(number)) {
      const [exit, leftAt] = [this.#stamps.next(), this.#stamps.now()];
      this.#observer.append(recordOfCall(this.#files, state, call, -ENOSYS, exit, leftAt));
      return true;
    }
    if (call) state.call = call;
    return false;
  }

  #left(task: Tid, info: SyscallInfo): void {
    const state = this.#tasks.get(task);
    if (info.at !== 'exit' || !state?.call) return this.#resume(task);
    if (state.replaced) replaceArguments(task, state.replaced);
    const result = this.#answered(task, state.call, info.result);
    this.#resumeBefore(task, this.#finish(state, state.call, result));
  }

  /** What was made up is what it was before. */
  #answered(task: Tid, { number, args }: OpenCall, result: number): number {
    if (!this.#answers || isBrokenOff(result)) return result;
    const given = this.#answers.answer(task, number, args, result);
    if (given === result) return result;
    changeResult(task, given);
    return given;
  }

  /** The record of a call that is over; undefined if it may be entered again. */
  #finish(state: TaskState, call: OpenCall, result: number): CallRecord | undefined {
    const { task } = state;
    this.#keptBytes?.keep(task, call, result);
    const [exit, leftAt] = [this.#stamps.next(), this.#stamps.now()];
    const record = recordOfCall(this.#files, state, call, result, exit, leftAt);
    this.#keptBytes?.note(record);
    const collected = collectedBy(task, call, result);
    state.call = undefined;
    state.replaced = undefined;
    const isOver = !isBrokenOff(result);
    const isConducted = isOver && !MADE_UP_CALLS.has(call.number);
    state.isHeld = isConducted && this.#conductor?.left(task, record, call.args) === false;
    if (collected > 0) return { ...record, reaped: this.#namespaced.ours(task, collected) };
    if (isOver) return record;
    // Broken off by a signal: if it is entered again, it keeps its first entry.
    state.interrupted = call;
    if (endsByHandler(result)) call.brokenOff = record;
    return undefined;
  }

  /** The tracee need not wait while we write; but what it did is kept, even if it is dead by now. */
  #resumeBefore(task: Tid, ended: CallRecord | undefined): void {
    try {
      if (!this.#tasks.get(task)?.isHeld) this.#resume(task);
    } finally {
      if (ended) this.#observer.append(ended);
    }
  }

  #signalled(task: Tid, signal: number): void {
    if (this.#conductor) this.#conductor.signalled(task, signal);
    else this.#deliver(task, signal);
  }

  #deliver(task: Tid, signal: number): void {
    // Only a tracer gets to see those that nobody would have noticed.
    if (!isIgnored(task, signal)) {
      const from = tid(this.#namespaced.ours(task, signalSender(task) ?? 0));
      this.#append({ kind: 'signal', phase: 'delivered', from, to: task, signal });
    }
    this.#resume(task, signal);
  }

  #exited(task: Tid, status: number): void {
    const state = this.#tasks.get(task);
    if (!state || state.hasExited) return;
    state.hasExited = true;
    this.#append({ kind: 'exit', tid: task, status });
  }

  /** A second SIGKILL can take a task away from its exit stop: then this is the first we hear. */
  #gone(task: Tid, status: number): void {
    this.#exited(task, status);
    const state = this.#tasks.remove(task);
    if (state && !this.#tasks.hasProcess(state.process)) {
      this.#files.descriptions.exited(state.process);
    }
    this.#releaseOrphans();
    this.#conductor?.gone(task);
    this.#answers?.gone(task);
    if (task === this.#root) this.#rootStatus = status;
    this.#observer.alive(this.#tasks.survivor);
  }

  /** On to the end of the call it is in, if we want to see that; otherwise to whatever comes. */
  #resume(task: Tid, signal = 0): void {
    resume(task, this.#tasks.get(task)?.call ? 'to-syscall' : 'freely', signal);
  }

  #killAll(): void {
    this.#conductor?.abandon();
    for (const task of this.#tasks) ignoringTheDead(() => sendSignal(task, Signal.SIGKILL));
  }

  #append(record: UnstampedRecord): void {
    this.#observer.append(this.#stamps.on(record));
  }
}

function enteredCall(
  { number, args }: { number: number; args: readonly number[] },
  call: OpenCall | undefined,
): EnteredCall {
  return { number, args, path: call?.paths[0]?.path, path2: call?.paths[1]?.path };
}
