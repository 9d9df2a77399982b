/**
 * Why a tracee stopped, as one union instead of the bits of ptrace(2). The tracer's main loop is
 * then five lines: take the next stop, act on its kind, resume.
 */
import { blockFor } from '../base/block.ts';
import { type Tid, tid } from './ids.ts';
import { eventMessage, resume, TraceEvent, TraceOption } from './ptrace.ts';
import { Signal, sendSignal } from './signals.ts';
import { SystemError } from './system-error.ts';
import { parseWaitStatus, WaitOption, waitForChild } from './wait.ts';

export type TraceeStop =
  /** No longer there; `status` is the raw wait status. */
  | { kind: 'gone'; status: number }
  /** Still there, memory readable, about to go. */
  | { kind: 'exiting'; status: number }
  /** A new task's own first stop; it can come before its parent's `forked`. */
  | { kind: 'started' }
  | { kind: 'forked'; child: Tid; how: 'fork' | 'vfork' | 'thread' }
  /** `formerTid` differs from the task when a thread that is not the leader called execve. */
  | { kind: 'execed'; formerTid: Tid }
  | { kind: 'seccomp' }
  | { kind: 'syscall' }
  | { kind: 'signal'; signal: number }
  /** Stopped by SIGSTOP and the like, as a shell's job control does. */
  | { kind: 'group-stop'; signal: number };

/** What a tracer must ask for so that `nextStop` can tell all of these apart. */
export const FOLLOW_EVERYTHING =
  TraceOption.markSyscallStops |
  TraceOption.fork |
  TraceOption.vfork |
  TraceOption.clone |
  TraceOption.exec |
  TraceOption.exit |
  TraceOption.seccomp |
  TraceOption.killOnTracerExit;

const SHORTEST_PAUSE_MS = 0.02;
const SYSCALL_STOP = Signal.SIGTRAP | 0x80;

export interface StoppedTask {
  task: Tid;
  stop: TraceeStop;
}

/** Blocks until some tracee of this thread stops; `undefined` when none is left. */
export function nextStop(which: Tid | -1 = -1): StoppedTask | undefined {
  for (;;) {
    const change = waitForChild(which, WaitOption.all | WaitOption.ownThread);
    if (!change) return undefined;
    const stopped = stoppedTask(change);
    if (stopped) return stopped;
  }
}

/** The same, but does not block for longer than this. */
export function nextStopWithin(milliseconds: number): StoppedTask | undefined | 'none yet' {
  const until = performance.now() + milliseconds;
  for (let pause = SHORTEST_PAUSE_MS; ; pause = Math.min(2 * pause, 1)) {
    // First the clock, then a look: we ourselves may have been kept from running in between.
    const isLastLook = performance.now() > until;
    const change = waitForChild(-1, WaitOption.all | WaitOption.ownThread | WaitOption.noHang);
    const stopped = change && stoppedTask(change);
    if (stopped) return stopped;
    if (isLastLook) return 'none yet';
    if (!change) blockFor(pause);
  }
}

/** What a wait status is about; undefined if it is about one that was killed since. */
export function stoppedTask({
  task,
  status,
}: {
  task: Tid;
  status: number;
}): StoppedTask | undefined {
  try {
    return { task, stop: classify(task, status) };
  } catch (error) {
    // Killed since: its `gone` comes next.
    if (!isGone(error)) throw error;
    return undefined;
  }
}

/** Whether a request failed because SIGKILL had taken the tracee away in the meantime. */
function isGone(error: unknown): boolean {
  return error instanceof SystemError && error.code === 'ESRCH';
}

/** SIGKILL can take a stopped tracee away between two requests; its `gone` stop follows. */
export function ignoringTheDead(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** The same, for what is asked of one that may be gone. */
export function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (!isGone(error)) throw error;
    return otherwise;
  }
}

/** Kills a tracee or child of ours and waits until it is gone. */
export function endTracee(task: Tid): void {
  ignoringTheDead(() => sendSignal(task, Signal.SIGKILL));
  for (let next = nextStop(task); next && next.stop.kind !== 'gone'; next = nextStop(task)) {
    ignoringTheDead(() => resume(task, 'freely'));
  }
}

function classify(task: Tid, status: number): TraceeStop {
  const parsed = parseWaitStatus(status);
  if (parsed.kind !== 'stopped') return { kind: 'gone', status };
  const { signal, event } = parsed;
  if (signal === SYSCALL_STOP) return { kind: 'syscall' };
  switch (event) {
    case TraceEvent.fork:
      return { kind: 'forked', child: tid(eventMessage(task)), how: 'fork' };
    case TraceEvent.vfork:
      return { kind: 'forked', child: tid(eventMessage(task)), how: 'vfork' };
    case TraceEvent.clone:
      return { kind: 'forked', child: tid(eventMessage(task)), how: 'thread' };
    case TraceEvent.exec:
      return { kind: 'execed', formerTid: tid(eventMessage(task)) };
    case TraceEvent.exit:
      return { kind: 'exiting', status: eventMessage(task) };
    case TraceEvent.seccomp:
      return { kind: 'seccomp' };
    case TraceEvent.stop:
      return signal === Signal.SIGTRAP ? { kind: 'started' } : { kind: 'group-stop', signal };
  }
  return { kind: 'signal', signal };
}
