/**
 * ptrace(2), one function per request. Every request must come from the thread that seized the
 * tracee, and (but for `seize` and `interrupt`) the tracee must be stopped.
 */
import { type Pid, pid, type Tid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';
import { REGISTERS_SIZE, Registers } from './registers.ts';
import { Signal } from './signals.ts';
import { checked } from './system-error.ts';

/** Source: <linux/ptrace.h>. */
const Request = {
  PTRACE_PEEKUSER: 3,
  PTRACE_POKEUSER: 6,
  PTRACE_CONT: 7,
  PTRACE_SINGLESTEP: 9,
  PTRACE_GETREGS: 12,
  PTRACE_SETREGS: 13,
  PTRACE_DETACH: 17,
  PTRACE_SYSCALL: 24,
  PTRACE_SETOPTIONS: 0x4200,
  PTRACE_GETEVENTMSG: 0x4201,
  PTRACE_GETSIGINFO: 0x4202,
  PTRACE_SEIZE: 0x4206,
  PTRACE_INTERRUPT: 0x4207,
  PTRACE_LISTEN: 0x4208,
  PTRACE_GETSIGMASK: 0x420a,
  PTRACE_SETSIGMASK: 0x420b,
  PTRACE_GET_SYSCALL_INFO: 0x420e,
} as const;
type Request = (typeof Request)[keyof typeof Request];

/** Source: <linux/ptrace.h>. */
export const TraceOption = {
  markSyscallStops: 0x01,
  fork: 0x02,
  vfork: 0x04,
  clone: 0x08,
  exec: 0x10,
  exit: 0x40,
  seccomp: 0x80,
  /** Tracees die with us: nothing is left running if we are killed. */
  killOnTracerExit: 0x10_0000,
  /** See suspended-filters.ts. */
  suspendFilters: 0x20_0000,
} as const;

/** The `event` of a stopped wait status. Source: <linux/ptrace.h>. */
export const TraceEvent = {
  none: 0,
  fork: 1,
  vfork: 2,
  clone: 3,
  exec: 4,
  exit: 6,
  seccomp: 7,
  stop: 128,
} as const;

const ptrace = libcFunction(
  'long ptrace(long request, int pid, uintptr_t address, uintptr_t data)',
);

const scratch = allocate(4096);
const REGISTERS_AT = 0;
const EVENT_AT = 1024;
const SYSCALL_INFO_AT = 2048;
const SYSCALL_INFO_SIZE = 88;
const SIGNAL_INFO_AT = 3072;
/** sizeof(sigset_t) in the kernel. */
const SIGNAL_SET_SIZE = 8;
/** As a number, which is passed faster than a bigint and is exact for addresses of our own. */
const SCRATCH = Number(scratch.address);
const infoAt = scratch.bytes.byteOffset + SYSCALL_INFO_AT;
const infoLow = new Uint32Array(scratch.bytes.buffer, infoAt, SYSCALL_INFO_SIZE / 4);
const infoHigh = new Int32Array(scratch.bytes.buffer, infoAt, SYSCALL_INFO_SIZE / 4);

function request(
  which: Request,
  tracee: Tid,
  address: bigint | number = 0,
  data: bigint | number = 0,
): number {
  const result = Number(ptrace(which, tracee, address, data));
  // A recording makes hundreds of thousands of these: nothing is made up for an error beforehand.
  return result < 0 ? checked('ptrace', [nameOf(which), tracee], result) : result;
}

const nameOf = (which: Request): string =>
  Object.entries(Request).find(([, value]) => value === which)?.[0] ?? String(which);

export function seize(tracee: Tid, options: number): void {
  request(Request.PTRACE_SEIZE, tracee, 0, options);
}

/** In place of those that it was seized with. */
export function setOptions(tracee: Tid, options: number): void {
  request(Request.PTRACE_SETOPTIONS, tracee, 0, options);
}

export function interrupt(tracee: Tid): void {
  request(Request.PTRACE_INTERRUPT, tracee);
}

export function detach(tracee: Tid, signal = 0): void {
  request(Request.PTRACE_DETACH, tracee, 0, signal);
}

/** Leaves a group-stopped tracee stopped, but lets SIGCONT wake it. */
export function listen(tracee: Tid): void {
  request(Request.PTRACE_LISTEN, tracee);
}

/** Runs on, to the next event (`freely`), to the next system call boundary, or by one instruction. */
export type ResumeMode = 'freely' | 'to-syscall' | 'one-step';

const RESUME: Record<ResumeMode, Request> = {
  freely: Request.PTRACE_CONT,
  'to-syscall': Request.PTRACE_SYSCALL,
  'one-step': Request.PTRACE_SINGLESTEP,
};

export function resume(tracee: Tid, mode: ResumeMode, signal = 0): void {
  request(RESUME[mode], tracee, 0, signal);
}

/** What a fork, clone, exec or exit event is about: a new tid, the former tid, or a wait status. */
export function eventMessage(tracee: Tid): number {
  request(Request.PTRACE_GETEVENTMSG, tracee, 0, SCRATCH + EVENT_AT);
  return Number(scratch.bytes.readBigUInt64LE(EVENT_AT));
}

/** Who sent the signal that a tracee stopped for; undefined if the kernel itself did. */
export function signalSender(tracee: Tid): Pid | undefined {
  request(Request.PTRACE_GETSIGINFO, tracee, 0, SCRATCH + SIGNAL_INFO_AT);
  const code = scratch.bytes.readInt32LE(SIGNAL_INFO_AT + 8);
  const sender = scratch.bytes.readInt32LE(SIGNAL_INFO_AT + 16);
  const isChildChange = scratch.bytes.readInt32LE(SIGNAL_INFO_AT) === Signal.SIGCHLD && code > 0;
  return code <= 0 || isChildChange ? pid(sender) : undefined;
}

/** Why a tracee got the signal that it stopped for: the `si_code` of siginfo_t, <asm-generic/siginfo.h>. */
export function signalCode(tracee: Tid): number {
  request(Request.PTRACE_GETSIGINFO, tracee, 0, SCRATCH + SIGNAL_INFO_AT);
  return scratch.bytes.readInt32LE(SIGNAL_INFO_AT + 8);
}

/** Why a tracee got the SIGTRAP that it stopped for. */
export interface TrapCause {
  /** `si_code`, <asm-generic/siginfo.h>. */
  readonly code: number;
  /** With TRAP_PERF: the event's own word, and whether the thread had run on since (it had blocked SIGTRAP). */
  readonly eventData: bigint;
  readonly isLate: boolean;
}

/** Offsets in siginfo_t and TRAP_PERF_FLAG_ASYNC, <asm-generic/siginfo.h>. */
const SI_PERF_DATA_AT = 24;
const SI_PERF_FLAGS_AT = 36;
const LATE = 1;

export function trapCause(tracee: Tid): TrapCause {
  const code = signalCode(tracee);
  return {
    code,
    eventData: scratch.bytes.readBigUInt64LE(SIGNAL_INFO_AT + SI_PERF_DATA_AT),
    isLate: (scratch.bytes.readUInt32LE(SIGNAL_INFO_AT + SI_PERF_FLAGS_AT) & LATE) !== 0,
  };
}

/** The signals that a tracee has blocked: bit n-1 stands for signal n. */
export function blockedSignals(tracee: Tid): bigint {
  request(Request.PTRACE_GETSIGMASK, tracee, SIGNAL_SET_SIZE, SCRATCH + EVENT_AT);
  return scratch.bytes.readBigUInt64LE(EVENT_AT);
}

export function setBlockedSignals(tracee: Tid, signals: bigint): void {
  scratch.bytes.writeBigUInt64LE(signals, EVENT_AT);
  request(Request.PTRACE_SETSIGMASK, tracee, SIGNAL_SET_SIZE, SCRATCH + EVENT_AT);
}

export function readRegisters(tracee: Tid): Registers {
  request(Request.PTRACE_GETREGS, tracee, 0, SCRATCH + REGISTERS_AT);
  return new Registers(Buffer.from(scratch.bytes.subarray(REGISTERS_AT, REGISTERS_SIZE)));
}

export function writeRegisters(tracee: Tid, registers: Registers): void {
  registers.bytes.copy(scratch.bytes, REGISTERS_AT);
  request(Request.PTRACE_SETREGS, tracee, 0, SCRATCH + REGISTERS_AT);
}

export type SyscallInfo =
  | { at: 'entry'; architecture: number; number: number; args: number[] }
  /** `mark` is the data of the filter that asked for the stop. */
  | { at: 'seccomp'; architecture: number; number: number; args: number[]; mark: number }
  | { at: 'exit'; architecture: number; result: number; isError: boolean }
  | { at: 'none'; architecture: number };

/** Where in a system call a stopped tracee is. Layout: `struct ptrace_syscall_info`, <linux/ptrace.h>. */
export function syscallInfo(tracee: Tid): SyscallInfo {
  request(Request.PTRACE_GET_SYSCALL_INFO, tracee, SYSCALL_INFO_SIZE, SCRATCH + SYSCALL_INFO_AT);
  const architecture = infoLow[1]!;
  switch (infoLow[0]! & 0xff) {
    case 1:
      return { at: 'entry', architecture, number: infoWord(3), args: infoArguments() };
    case 2:
      return { at: 'exit', architecture, result: infoWord(3), isError: (infoLow[8]! & 0xff) === 1 };
    case 3: {
      const mark = infoLow[20]!;
      return { at: 'seccomp', architecture, number: infoWord(3), args: infoArguments(), mark };
    }
  }
  return { at: 'none', architecture };
}

function infoArguments(): number[] {
  return [infoWord(4), infoWord(5), infoWord(6), infoWord(7), infoWord(8), infoWord(9)];
}

/** 64 bits as signed, without a bigint in between; exact up to 2^53 either way. */
function infoWord(index: number): number {
  return infoHigh[2 * index + 1]! * 2 ** 32 + infoLow[2 * index]!;
}

/** A word of `struct user`, such as a debug register. The C wrapper is bypassed: it returns the word itself. */
export function peekUser(tracee: Tid, offset: number): bigint {
  const address = scratch.address + BigInt(EVENT_AT);
  const shownAs = ['PTRACE_PEEKUSER', tracee, offset];
  rawSyscall('ptrace', [Request.PTRACE_PEEKUSER, tracee, offset, address], shownAs);
  return scratch.bytes.readBigUInt64LE(EVENT_AT);
}

export function pokeUser(tracee: Tid, offset: number, value: bigint): void {
  request(Request.PTRACE_POKEUSER, tracee, offset, value);
}
