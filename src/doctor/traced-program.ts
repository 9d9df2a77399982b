/**
 * A task under ptrace for the probes to try things on. Waiting has a deadline here, unlike in the
 * engines: on a kernel with half a ptrace (some sandboxes) doctor must say so instead of hanging.
 */
import { blockFor } from '../base/block.ts';
import { type Pid, type Tid, tid } from '../linux/ids.ts';
import { interrupt, resume, seize, TraceEvent, TraceOption } from '../linux/ptrace.ts';
import { Signal, sendSignal } from '../linux/signals.ts';
import { spawnStopped } from '../linux/spawn.ts';
import { parseWaitStatus, WaitOption, type WaitStatus, waitForChild } from '../linux/wait.ts';

const OPTIONS =
  TraceOption.markSyscallStops |
  TraceOption.exec |
  TraceOption.seccomp |
  TraceOption.killOnTracerExit;
const LONGEST_WAIT_MS = 5000;
const PAUSE_MS = 1;

export class TracedTask {
  readonly task: Tid;
  #collected = false;

  constructor(process: Pid) {
    this.task = tid(process);
  }

  seize(): void {
    seize(this.task, OPTIONS);
  }

  interrupt(): void {
    interrupt(this.task);
  }

  /** What happens next to it; throws when nothing does for too long. */
  next(): WaitStatus {
    const deadline = performance.now() + LONGEST_WAIT_MS;
    const options = WaitOption.all | WaitOption.ownThread | WaitOption.noHang;
    for (;;) {
      const change = waitForChild(this.task, options);
      if (change) return this.#noted(parseWaitStatus(change.status));
      if (performance.now() > deadline) throw new Error(`no news from traced task ${this.task}`);
      blockFor(PAUSE_MS);
    }
  }

  /** Kills and collects it; once collected, its number may be somebody else's. */
  end(): void {
    if (this.#collected) return;
    try {
      sendSignal(this.task, Signal.SIGKILL);
      while (this.next().kind === 'stopped');
    } catch {
      // Nothing more can be done, and what the probe itself threw matters more.
    }
  }

  #noted(change: WaitStatus): WaitStatus {
    this.#collected = change.kind === 'exited' || change.kind === 'killed';
    return change;
  }
}

/**
 * A program that does nothing but exit with status 7, standing at its first instruction. It is
 * gone when this returns.
 */
export function withTracedProgram<T>(use: (program: TracedTask) => T): T {
  const args = ['/bin/sh', '-c', 'exit 7'];
  const program = new TracedTask(spawnStopped({ args, environment: ['PATH=/usr/bin:/bin'] }));
  try {
    program.seize();
    sendSignal(program.task, Signal.SIGCONT);
    runToExec(program);
    return use(program);
  } finally {
    program.end();
  }
}

export function isEvent(change: WaitStatus, event: number): boolean {
  return change.kind === 'stopped' && change.event === event;
}

function runToExec(program: TracedTask): void {
  for (;;) {
    const change = program.next();
    if (change.kind !== 'stopped') throw new Error('a traced program ended before its exec');
    if (isEvent(change, TraceEvent.exec)) return;
    resume(program.task, 'freely');
  }
}
