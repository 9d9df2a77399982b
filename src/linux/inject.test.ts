import { afterEach, describe, expect, it } from 'vitest';
import type { Tid } from './ids.ts';
import { injectFilter, injectSyscall } from './inject.ts';
import { resume, seize, syscallInfo } from './ptrace.ts';
import { traceOnly } from './seccomp.ts';
import { Signal, sendSignal } from './signals.ts';
import { leaderOf, spawnStopped } from './spawn.ts';
import { syscallName, syscallNumber } from './syscalls.ts';
import { FOLLOW_EVERYTHING, nextStop } from './tracee-stop.ts';
import { parseWaitStatus } from './wait.ts';

let tracee: Tid | undefined;

/** Runs a program under trace up to the entry of its first system call after exec. */
function atFirstCall(...args: string[]): Tid {
  const task = leaderOf(spawnStopped({ args, environment: ['PATH=/usr/bin:/bin'] }));
  tracee = task;
  seize(task, FOLLOW_EVERYTHING);
  sendSignal(task, Signal.SIGCONT);
  for (let execed = false; ; ) {
    const next = nextStop(task);
    if (next?.stop.kind === 'execed') execed = true;
    if (execed && next?.stop.kind === 'syscall' && syscallInfo(task).at === 'entry') return task;
    resume(task, execed ? 'to-syscall' : 'freely');
  }
}

/** Lets the tracee run to its end; the calls it was stopped at by the filter, and its status. */
function runToEnd(task: Tid): { calls: string[]; status: number } {
  const calls: string[] = [];
  for (let signal = 0; ; ) {
    resume(task, 'freely', signal);
    const next = nextStop(task);
    signal = next?.stop.kind === 'signal' ? next.stop.signal : 0;
    if (next?.stop.kind === 'gone') {
      tracee = undefined;
      return { calls, status: next.stop.status };
    }
    const info = next?.stop.kind === 'seccomp' ? syscallInfo(task) : undefined;
    if (info?.at === 'seccomp') calls.push(syscallName(info.number));
  }
}

afterEach(() => {
  if (tracee !== undefined) sendSignal(tracee, Signal.SIGKILL);
  tracee = undefined;
});

describe('calls made by a tracee on our behalf', () => {
  it('gives the result and leaves the program undisturbed', () => {
    const task = atFirstCall('/bin/sh', '-c', 'exit 7');
    expect(injectSyscall(task, { name: 'getpid', args: [] })).toBe(task);
    expect(parseWaitStatus(runToEnd(task).status)).toEqual({ kind: 'exited', code: 7 });
  });

  it('gets through although signals arrive, and delivers them afterwards', () => {
    const task = atFirstCall('/bin/sh', '-c', 'exit 7');
    sendSignal(task, Signal.SIGWINCH);
    sendSignal(task, Signal.SIGTERM);
    expect(injectSyscall(task, { name: 'getppid', args: [] })).toBe(process.pid);
    expect(parseWaitStatus(runToEnd(task).status)).toMatchObject({ signal: Signal.SIGTERM });
  });

  it('installs a filter that stops at the chosen calls and at no others', () => {
    const task = atFirstCall('/bin/cat', '/dev/null');
    const numbers = ['openat', 'exit_group'].map(syscallNumber);
    injectFilter(task, traceOnly(numbers.map((number) => ({ number }))));
    const { calls, status } = runToEnd(task);
    expect(new Set(calls)).toEqual(new Set(['openat', 'exit_group']));
    expect(calls.filter((name) => name === 'openat').length).toBeGreaterThan(1);
    expect(parseWaitStatus(status)).toEqual({ kind: 'exited', code: 0 });
  });
});
