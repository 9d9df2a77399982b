/** Signals for threads that have the sampling agent in them (agent/deadheat.h). */
import { SamplingNumbers } from './agent-protocol.ts';
import { type Pid, type Tid, tid } from './ids.ts';
import { allocate, release } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';
import { threadsOf } from './running-process.ts';
import { hasSignal, signalSetsOf } from './signal-sets.ts';
import { activityOf } from './task-state.ts';

/**
 * Has a thread of the process look at the control, which arms all of its threads. A thread that is running is
 * preferred: one that sleeps in a system call has to make it again. A process that has become a program without the
 * agent is left alone, since the signal would end it: false then.
 */
export function wakeSampled(process: Pid): boolean {
  const running = threadsOf(process).find((task) => activityOf(task) === 'running');
  const caught = signalSetsOf(tid(process))?.('SigCgt') ?? 0n;
  if (!hasSignal(caught, SamplingNumbers.DH_SAMPLING_SIGNAL)) return false;
  queueSignal(process, running ?? tid(process), SamplingNumbers.DH_SAMPLING_COOKIE);
  return true;
}

/** Source: siginfo_t of <asm-generic/siginfo.h>. */
const SIGINFO_SIZE = 128;
const SiginfoAt = { signo: 0, code: 8, pid: 16, uid: 20, value: 24 } as const;
const SI_QUEUE = -1;

/** `value`: DH_SAMPLING_COOKIE, or DH_SAMPLE_NOW_COOKIE. */
export function queueSignal(process: Pid, task: Tid, value: number): void {
  const info = allocate(SIGINFO_SIZE);
  writeSiginfo(info.bytes, value);
  try {
    const signal = SamplingNumbers.DH_SAMPLING_SIGNAL;
    rawSyscall('rt_tgsigqueueinfo', [process, task, signal, info.address]);
  } finally {
    release(info);
  }
}

/** What the agent's handler gets to see. */
export function writeSiginfo(bytes: Buffer, value: number): void {
  bytes.writeInt32LE(SamplingNumbers.DH_SAMPLING_SIGNAL, SiginfoAt.signo);
  bytes.writeInt32LE(SI_QUEUE, SiginfoAt.code);
  bytes.writeInt32LE(process.pid, SiginfoAt.pid);
  bytes.writeInt32LE(process.geteuid?.() ?? 0, SiginfoAt.uid);
  bytes.writeInt32LE(value, SiginfoAt.value);
}
