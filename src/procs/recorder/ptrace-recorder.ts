/**
 * Records a process tree with ptrace: every task is followed from its birth, and stopped at the
 * calls in recorded-calls.ts, once before and once after. Blocks its thread until the last task
 * is gone, so it runs in a worker (worker.ts).
 *
 *   sh forks, and its child stops                  start record (task-lives.ts)
 *   the child stops before and after mkdir("d")    call record (traced-calls.ts)
 *   SIGCHLD is about to reach sh                   signal record
 *
 * Sequence numbers count our own stops. A call gets one at entry and one at exit; two calls whose
 * intervals do not overlap happened in that order, for calls that do overlap nobody knows.
 */

import { unreachable } from '../../base/assert.ts';
import { decodeBytes } from '../../base/bytes.ts';
import { hideVdso } from '../../linux/hidden-vdso.ts';
import { pid, type Tid, tid } from '../../linux/ids.ts';
import { isIgnored } from '../../linux/ignored-signals.ts';
import { installFilter } from '../../linux/inject.ts';
import { readProcFile } from '../../linux/proc-file.ts';
import { listen, resume, signalSender, syscallInfo } from '../../linux/ptrace.ts';
import { traceOnly } from '../../linux/seccomp.ts';
import { Signal, sendSignal } from '../../linux/signals.ts';
import { type Program, startProgram } from '../../linux/start-traced.ts';
import {
  ignoringTheDead,
  nextStop,
  nextStopWithin,
  type TraceeStop,
} from '../../linux/tracee-stop.ts';
import { LONGEST_COMMAND_LINE } from '../../trace/records/exec.ts';
import type { Answers } from './answers.ts';
import { callStops } from './call-stops.ts';
import type { Conductor } from './conductor.ts';
import type { Observer, RecorderResult } from './observer.ts';
import { isStill } from './own-pace.ts';
import { TaskLives } from './task-lives.ts';
import { TracedCalls } from './traced-calls.ts';
import { TracedTree } from './traced-tree.ts';

const NOTHING = Buffer.alloc(0);

export class PtraceRecorder {
  readonly #tree: TracedTree;
  readonly #lives: TaskLives;
  readonly #calls: TracedCalls;
  #root = tid(0);
  /** Process 1 of the sandbox, if we have to do with it. */
  #init: Tid | undefined;
  #rootStatus = 0;
  /** It is to be run again, and so has to read the clock where we see it. */
  #hidesClock = false;

  /** With a conductor, no task goes on before it has said so. */
  constructor(observer: Observer, conductor?: Conductor, answers?: Answers) {
    this.#tree = new TracedTree(observer, conductor, answers);
    this.#lives = new TaskLives(this.#tree);
    this.#calls = new TracedCalls(this.#tree);
  }

  /** Runs the program to the end of its whole tree. */
  run(program: Program): RecorderResult {
    const { observer, conductor, answers, files } = this.#tree;
    const filter = traceOnly(callStops(conductor, answers));
    const { task: root, numbering } = startProgram(program, (task) => installFilter(task, filter));
    this.#root = root;
    this.#hidesClock = program.sandbox !== undefined;
    this.#init = numbering?.init;
    observer.alive(root);
    this.#lives.announce(root, tid(0), 'root');
    files.learnAll({ task: root, process: pid(root) });
    this.#calls.begins(root);
    conductor?.begins(root, numbering);
    answers?.begins(root);
    ignoringTheDead(() => this.#execed(root, root, program.path));
    for (let next = this.#nextStop(); next; next = this.#nextStop()) {
      if (observer.mustEnd()) this.#killAll();
      ignoringTheDead(() => this.#handle(next.task, next.stop));
      if (conductor?.hasGivenUp()) this.#killAll();
      this.#release();
    }
    return { status: this.#rootStatus, droppedEvents: 0 };
  }

  /** Blocks; if the conductor cannot wait for ever, it is told when its time is up. */
  #nextStop(): ReturnType<typeof nextStop> {
    const { conductor, tasks } = this.#tree;
    for (;;) {
      const patience = conductor?.patience();
      if (patience === undefined) return nextStop();
      const next = nextStopWithin(patience);
      if (next !== 'none yet') return next;
      if (!isStill(tasks)) continue;
      // Whoever was on the way to a stop until just now is there.
      const late = nextStopWithin(0);
      if (late !== 'none yet') return late;
      conductor?.stalled();
      if (conductor?.hasGivenUp()) this.#killAll();
      this.#release();
    }
  }

  /** Whom the conductor lets go on. */
  #release(): void {
    for (const release of this.#tree.conductor?.takeReleased() ?? []) {
      const { task, signal, rewind } = release;
      ignoringTheDead(() => {
        this.#calls.change(release);
        if (rewind) this.#calls.rewind(task);
        else if (signal) this.#deliver(task, signal);
        else this.#tree.resume(task);
      });
    }
  }

  #handle(task: Tid, stop: TraceeStop): void {
    if (task === this.#init) return this.#handleInit(task, stop);
    switch (stop.kind) {
      case 'started':
        return this.#lives.started(task);
      case 'forked':
        return this.#lives.forked(task, stop.child, stop.how);
      case 'execed':
        return this.#execed(task, stop.formerTid, this.#calls.pathOf(stop.formerTid));
      case 'seccomp':
        return this.#calls.entered(task, syscallInfo(task));
      case 'syscall':
        return this.#calls.left(task, syscallInfo(task));
      case 'signal':
        return this.#signalled(task, stop.signal);
      case 'group-stop':
        return listen(task);
      case 'exiting':
        return this.#lives.exits(task, stop.status);
      case 'gone':
        if (task === this.#root) this.#rootStatus = stop.status;
        return this.#lives.gone(task, stop.status);
    }
    unreachable(stop, 'stop');
  }

  #handleInit(task: Tid, stop: TraceeStop): void {
    if (stop.kind !== 'gone') resume(task, 'freely', stop.kind === 'signal' ? stop.signal : 0);
  }

  /** `path` is what execve was told to run. */
  #execed(task: Tid, formerTid: Tid, path = ''): void {
    const { tasks, conductor, answers } = this.#tree;
    if (this.#hidesClock) hideVdso(task);
    if (formerTid !== task) tasks.rename(formerTid, task);
    this.#lives.execed(task);
    const commandLine = readProcFile(`/proc/${task}/cmdline`, LONGEST_COMMAND_LINE);
    if (formerTid !== task) conductor?.renamed(formerTid, task);
    conductor?.execed(task);
    answers?.execed(task, formerTid);
    this.#tree.append({
      kind: 'exec',
      tid: task,
      path,
      commandLine: decodeBytes(commandLine ?? NOTHING).replace(/\0$/, ''),
    });
    // Nothing but success comes after this: a stop at the end of the call would tell nothing more.
    this.#calls.ended(task, 0);
  }

  #signalled(task: Tid, signal: number): void {
    if (this.#tree.conductor) this.#tree.conductor.signalled(task, signal);
    else this.#deliver(task, signal);
  }

  #deliver(task: Tid, signal: number): void {
    // Only a tracer gets to see those that nobody would have noticed.
    if (!isIgnored(task, signal)) {
      const from = tid(this.#tree.namespaced.ours(task, signalSender(task) ?? 0));
      const phase = this.#tree.tasks.get(task)?.interrupted ? 'interrupting' : 'delivered';
      this.#tree.append({ kind: 'signal', phase, from, to: task, signal });
    }
    this.#tree.resume(task, signal);
  }

  #killAll(): void {
    this.#tree.conductor?.abandon();
    for (const task of this.#tree.tasks) ignoringTheDead(() => sendSignal(task, Signal.SIGKILL));
  }
}
