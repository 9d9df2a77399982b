/**
 * waitpid(2) and what a wait status says. `parseWaitStatus` follows <sys/wait.h> and ptrace(2):
 *
 *   0x0000057f  stopped by signal 5 (SIGTRAP)
 *   0x0001057f  stopped by ptrace event 1 (PTRACE_EVENT_FORK)
 *   0x00000100  exited with code 1
 *   0x0000000b  killed by signal 11 (SIGSEGV)
 */
import { errnoNumber } from './errno.ts';
import { type Pid, type Tid, tid } from './ids.ts';
import { lastErrno, libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';
import { SystemError } from './system-error.ts';

export type WaitStatus =
  | { kind: 'exited'; code: number }
  | { kind: 'killed'; signal: number; coreDumped: boolean }
  | { kind: 'stopped'; signal: number; event: number }
  | { kind: 'continued' };

/** Source: <linux/wait.h>. */
export const WaitOption = {
  noHang: 1,
  untraced: 2,
  /** Only children (and tracees) of the calling thread: another thread's are left alone. */
  ownThread: 0x2000_0000,
  /** Threads too, not only processes. */
  all: 0x4000_0000,
} as const;

const waitpidFunction = libcFunction('int waitpid(int pid, uintptr_t status, int options)');
const waitidFunction = libcFunction(
  'int waitid(int which, int id, uintptr_t information, int options)',
);
/** Source: <linux/wait.h>. */
const P_ALL = 0;
const WSTOPPED = 2;
const WEXITED = 4;
const WNOWAIT = 0x0100_0000;

const memory = allocate(4096);
/** Where a siginfo_t has room. */
const SIGINFO_AT = 2048;
const statusAddress = Number(memory.address);
const statusWord = new Int32Array(memory.bytes.buffer, memory.bytes.byteOffset, 1);
const ECHILD = errnoNumber('ECHILD');
const EINTR = errnoNumber('EINTR');

/** The next child to change state, as a raw status; `undefined` when there is none left or (with noHang) none yet. */
export function waitForChild(
  which: Pid | Tid | -1,
  options: number,
): { task: Tid; status: number } | undefined {
  for (;;) {
    const task = waitpidFunction(which, statusAddress, options);
    if (task > 0) return { task: tid(task), status: statusWord[0]! };
    if (task === 0) return undefined;
    const errno = lastErrno();
    if (errno === ECHILD) return undefined;
    if (errno !== EINTR) throw new SystemError('waitpid', [which, options], errno);
  }
}

/** Whether this thread has any child or tracee at all, be it running or not. */
export function hasChildren(): boolean {
  const { noHang, ownThread, all } = WaitOption;
  const options = noHang | ownThread | all | WEXITED | WSTOPPED | WNOWAIT;
  return waitidFunction(P_ALL, 0, statusAddress + SIGINFO_AT, options) === 0;
}

export function parseWaitStatus(status: number): WaitStatus {
  const low = status & 0x7f;
  if (status === 0xffff) return { kind: 'continued' };
  if (low === 0x7f) return { kind: 'stopped', signal: (status >> 8) & 0xff, event: status >>> 16 };
  if (low === 0) return { kind: 'exited', code: (status >> 8) & 0xff };
  return { kind: 'killed', signal: low, coreDumped: (status & 0x80) !== 0 };
}
