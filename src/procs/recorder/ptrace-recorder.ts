/**
 * Records a process tree with ptrace: every task is followed from its birth, and stopped at the
 * calls in recorded-calls.ts, once before and once after. Blocks its thread until the last task
 * is gone, so it runs in a worker (worker.ts).
 *
 * Sequence numbers count our own stops. A call gets one at entry and one at exit; two calls whose
 * intervals do not overlap happened in that order, for calls that do overlap nobody knows.
 */
import { readFileSync } from 'node:fs';
import { decodeBytes } from '../../base/bytes.ts';
import { nanoseconds, pid, type Tid, tid } from '../../linux/ids.ts';
import { injectFilter } from '../../linux/inject.ts';
import {
  listen,
  type ResumeMode,
  resume,
  type SyscallInfo,
  seize,
  signalSender,
  syscallInfo,
} from '../../linux/ptrace.ts';
import { isNativeCall } from '../../linux/seccomp.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { type Command, leaderOf, spawnStopped } from '../../linux/spawn.ts';
import { FOLLOW_EVERYTHING, isGone, nextStop, type TraceeStop } from '../../linux/tracee-stop.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { type OpenCall, openCall, recordOfCall } from './open-call.ts';
import { RECORDED_NUMBERS } from './recorded-calls.ts';
import { linkTarget } from './tracee-files.ts';

interface Task {
  /** The call it is in, if that is one we record. */
  call?: OpenCall;
  /** Its first stop came before its parent told us of it; it waits for that. */
  waitsForParent?: true;
}

type FilterState = 'before-exec' | 'at-next-call' | 'installed';

export interface Observer {
  append(record: TraceRecord): void;
  /** Some task that is alive, for whoever wants to wake us with a signal. */
  alive(task: Tid): void;
  /** True once the tree has to end. */
  mustEnd(): boolean;
}

export class PtraceRecorder {
  readonly #observer: Observer;
  readonly #tasks = new Map<Tid, Task>();
  readonly #began = process.hrtime.bigint();
  #filter: FilterState = 'before-exec';
  #sequence = 0;
  #root = tid(0);
  #rootStatus = 0;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Runs the command to the end of its whole tree; its own raw wait status. */
  run(command: Command): number {
    this.#root = leaderOf(spawnStopped(command));
    seize(this.#root, FOLLOW_EVERYTHING);
    this.#tasks.set(this.#root, {});
    this.#observer.alive(this.#root);
    this.#append({
      kind: 'start',
      tid: this.#root,
      pid: pid(this.#root),
      parentTid: tid(0),
      how: 'root',
      cloneFlags: 0,
    });
    sendSignal(this.#root, Signal.SIGCONT);
    for (let next = nextStop(); next; next = nextStop()) {
      if (this.#observer.mustEnd()) this.#killAll();
      ignoringTheDead(() => this.#handle(next.task, next.stop));
    }
    return this.#rootStatus;
  }

  #handle(task: Tid, stop: TraceeStop): void {
    switch (stop.kind) {
      case 'started':
        return this.#started(task);
      case 'forked':
        return this.#forked(task, stop.child, stop.how);
      case 'execed':
        return this.#execed(task, stop.formerTid);
      case 'seccomp':
        return this.#entered(task, syscallInfo(task));
      case 'syscall':
        return this.#atSyscallStop(task, syscallInfo(task));
      case 'vfork-done':
        return this.#resume(task);
      case 'signal':
        return this.#signalled(task, stop.signal);
      case 'group-stop':
        return listen(task);
      case 'exiting':
        this.#append({ kind: 'exit', tid: task, status: stop.status });
        return resume(task, 'freely');
      case 'gone':
        return this.#gone(task, stop.status);
    }
  }

  /** Before the first exec there are only the signals with which we start the program. */
  #signalled(task: Tid, signal: number): void {
    if (this.#filter !== 'before-exec') {
      const from = tid(signalSender(task) ?? 0);
      this.#append({ kind: 'signal', phase: 'delivered', from, to: task, signal });
    }
    this.#resume(task, signal);
  }

  #started(task: Tid): void {
    if (this.#tasks.has(task)) return this.#resume(task);
    this.#tasks.set(task, { waitsForParent: true });
  }

  #forked(parent: Tid, child: Tid, how: 'fork' | 'vfork' | 'thread'): void {
    const process = pid(threadGroup(child) ?? child);
    const isThread = process !== (child as number);
    this.#append({
      kind: 'start',
      tid: child,
      pid: process,
      parentTid: parent,
      how: isThread ? 'thread' : how === 'vfork' ? 'vfork' : 'fork',
      cloneFlags: 0,
    });
    const early = this.#tasks.get(child)?.waitsForParent;
    this.#tasks.set(child, {});
    if (early) ignoringTheDead(() => resume(child, 'freely'));
    this.#resume(parent);
  }

  /** A thread that is not the leader takes over the leader's number; the others are gone. */
  #execed(task: Tid, formerTid: Tid): void {
    if (formerTid !== task) {
      this.#tasks.set(task, this.#tasks.get(formerTid) ?? {});
      this.#tasks.delete(formerTid);
    }
    this.#append({
      kind: 'exec',
      tid: task,
      path: linkTarget(`/proc/${task}/exe`) ?? '',
      commandLine: decodeBytes(readFileSync(`/proc/${task}/cmdline`)).replace(/\0$/, ''),
    });
    if (this.#filter === 'before-exec') this.#filter = 'at-next-call';
    this.#resume(task);
  }

  #entered(task: Tid, info: SyscallInfo): void {
    if (info.at !== 'seccomp') return this.#resume(task);
    const state = this.#task(task);
    if (!isNativeCall(info.architecture, info.number)) {
      this.#append({ kind: 'note', tid: task, text: '32-bit system calls were not recorded' });
    } else {
      const entered = { entry: this.#next(), enteredAt: this.#now() };
      const call = openCall(task, info.number, info.args, entered, state.call);
      if (call) state.call = call;
    }
    this.#resume(task);
  }

  #atSyscallStop(task: Tid, info: SyscallInfo): void {
    if (info.at === 'entry' && this.#filter === 'at-next-call') {
      injectFilter(task, RECORDED_NUMBERS);
      this.#filter = 'installed';
      return resume(task, 'freely');
    }
    const state = this.#task(task);
    if (info.at === 'exit' && state.call) {
      const record = recordOfCall(task, state.call, info.result, this.#next(), this.#now());
      // An interrupted call is entered again: it stays open, with its first entry.
      if (record) {
        this.#observer.append(record);
        delete state.call;
      }
      return resume(task, 'freely');
    }
    this.#resume(task);
  }

  #gone(task: Tid, status: number): void {
    this.#tasks.delete(task);
    if (task === this.#root) this.#rootStatus = status;
    const [survivor] = this.#tasks.keys();
    if (survivor !== undefined) this.#observer.alive(survivor);
  }

  #resume(task: Tid, signal = 0): void {
    const stopAtCalls = this.#filter === 'at-next-call' || this.#task(task).call !== undefined;
    const mode: ResumeMode = stopAtCalls ? 'to-syscall' : 'freely';
    resume(task, mode, signal);
  }

  #killAll(): void {
    for (const task of this.#tasks.keys()) {
      ignoringTheDead(() => sendSignal(task, Signal.SIGKILL));
    }
  }

  #task(task: Tid): Task {
    let state = this.#tasks.get(task);
    if (!state) {
      state = {};
      this.#tasks.set(task, state);
    }
    return state;
  }

  #append(record: Unstamped<TraceRecord>): void {
    this.#observer.append({ ...record, sequence: this.#next(), time: this.#now() } as TraceRecord);
  }

  #next(): number {
    return ++this.#sequence;
  }

  #now() {
    return nanoseconds(Number(process.hrtime.bigint() - this.#began));
  }
}

type Unstamped<R> = R extends unknown ? Omit<R, 'sequence' | 'time'> : never;

/** Which process a task belongs to; undefined if it has died already. */
function threadGroup(task: Tid): number | undefined {
  try {
    const status = readFileSync(`/proc/${task}/status`, 'latin1');
    return Number(/^Tgid:\s*(\d+)/m.exec(status)?.[1]);
  } catch {
    return undefined;
  }
}

/** SIGKILL can take a stopped tracee away between two requests; its `gone` stop follows. */
function ignoringTheDead(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
