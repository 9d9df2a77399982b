/**
 * Why a tracee stopped, as one union instead of the bits of ptrace(2). The tracer's main loop is
 * then five lines: take the next stop, act on its kind, resume.
 */
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

const SYSCALL_STOP = Signal.SIGTRAP | 0x80;

/** Blocks until some tracee of this thread stops; `undefined` when none is left. */
export function nextStop(which: Tid | -1 = -1): { task: Tid; stop: TraceeStop } | undefined {
  for (;;) {
    const change = waitForChild(which, WaitOption.all | WaitOption.ownThread);
    if (!change) return undefined;
    try {
      return { task: change.task, stop: classify(change.task, change.status) };
    } catch (error) {
      // Killed since: its `gone` comes next.
      if (!isGone(error)) throw error;
    }
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
