/**
 * Makes a stopped tracee do system calls of our choosing, by rewriting its registers: no code is
 * added to it. The tracee stands at the entry of some call; ours is made in its place, then the
 * instruction pointer is wound back over the two-byte `syscall` instruction, so that the original
 * call is entered again as if nothing had happened.
 */
import { assert } from '../base/assert.ts';
import { errnoName } from './errno.ts';
import type { Tid, TraceeAddress } from './ids.ts';
import { writeMemory } from './process-memory.ts';
import { readRegisters, resume, syscallInfo, writeRegisters } from './ptrace.ts';
import { ARGUMENT_REGISTERS, type Registers } from './registers.ts';
import { Signal, sendSignal } from './signals.ts';
import { syscallNumber } from './syscalls.ts';
import { nextStop } from './tracee-stop.ts';

const SYSCALL_INSTRUCTION_LENGTH = 2n;
/** The red zone and more: memory below the stack pointer that nobody uses during a call. */
const SCRATCH_BELOW_STACK = 16_384n;

/** Source: <linux/prctl.h>. */
const PR_SET_SECCOMP = 22;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_MODE_FILTER = 2;

interface InjectedCall {
  name: string;
  args: readonly (number | bigint)[];
}

/** The tracee must stand at a system-call entry stop; afterwards it will enter the same call again. */
export function injectSyscall(tracee: Tid, call: InjectedCall): number {
  return holdingBackSignals(tracee, (heldBack) => inject(tracee, call, heldBack));
}

/**
 * From now on the filter (seccomp.ts) holds for the tracee and its descendants.
 * A process without CAP_SYS_ADMIN must first give up gaining privileges through exec (setuid
 * programs then run as the caller); under a plain user's tracer they would anyway.
 */
export function injectFilter(tracee: Tid, filter: Buffer): void {
  const filterAt = (readRegisters(tracee).stack - SCRATCH_BELOW_STACK) & ~15n;
  const programAt = filterAt - 16n;
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(filterAt, 8);
  writeMemory(tracee, filterAt as TraceeAddress, filter);
  writeMemory(tracee, programAt as TraceeAddress, program);

  const install = { name: 'prctl', args: [PR_SET_SECCOMP, SECCOMP_MODE_FILTER, programAt] };
  const renounce = { name: 'prctl', args: [PR_SET_NO_NEW_PRIVS, 1] };
  holdingBackSignals(tracee, (heldBack) => {
    if (inject(tracee, install, heldBack) === 0) return;
    for (const call of [renounce, install]) {
      runToSyscallStop(tracee, heldBack);
      const result = inject(tracee, call, heldBack);
      assert(result === 0, `the kernel refused the seccomp filter: ${errnoName(-result)}`);
    }
  });
}

/** The same, and back to the entry of the call that it was about to make. */
export function installFilter(tracee: Tid, filter: Buffer): void {
  injectFilter(tracee, filter);
  runToSyscallStop(tracee, []);
}

/**
 * Makes the tracee run another program: 0, and it stands at its exec, or the negative errno, and it
 * has gone back to what it was doing.
 */
export function injectExec(tracee: Tid, path: bigint, argv: bigint, envp: bigint): number {
  enterCall(tracee, { name: 'execve', args: [path, argv, envp] });
  for (;;) {
    resume(tracee, 'to-syscall');
    const next = nextStop(tracee);
    assert(next && next.stop.kind !== 'gone', `tracee ${tracee} vanished in its exec`);
    if (next.stop.kind === 'execed') return 0;
    if (next.stop.kind !== 'syscall') continue;
    const info = syscallInfo(tracee);
    if (info.at === 'exit') return info.result;
  }
}

/**
 * For a tracee that stands in code of its own, and not in a system call: ours is made from `place`, where a
 * `syscall` instruction stands, and all is as before then.
 */
export function callFrom(tracee: Tid, place: TraceeAddress, call: InjectedCall): number {
  const original = readRegisters(tracee);
  const changed = withCall(original, call);
  changed.set('rip', place);
  // It is in no call that the kernel would want to begin again.
  changed.set('orig_rax', -1n);
  writeRegisters(tracee, changed);
  return holdingBackSignals(tracee, (heldBack) => {
    const end = place + SYSCALL_INSTRUCTION_LENGTH;
    let registers = stepOnce(tracee, heldBack);
    while (registers.instruction !== end) registers = stepOnce(tracee, heldBack);
    writeRegisters(tracee, original);
    return Number(BigInt.asIntN(64, registers.get('rax')));
  });
}

function stepOnce(tracee: Tid, heldBack: number[]): Registers {
  resume(tracee, 'one-step');
  const next = nextStop(tracee);
  assert(next?.stop.kind === 'signal', `tracee ${tracee} vanished while a call was being injected`);
  if (next.stop.signal !== Signal.SIGTRAP) heldBack.push(next.stop.signal);
  return readRegisters(tracee);
}

function inject(tracee: Tid, call: InjectedCall, heldBack: number[]): number {
  const original = enterCall(tracee, call);
  runToSyscallStop(tracee, heldBack);
  const result = Number(BigInt.asIntN(64, readRegisters(tracee).get('rax')));
  rewindCall(tracee, original);
  return result;
}

/** Replaces the call that the tracee is about to make; returns its registers as they were. */
export function enterCall(tracee: Tid, call: InjectedCall): Registers {
  const original = readRegisters(tracee);
  const changed = withCall(original, call);
  changed.set('orig_rax', syscallNumber(call.name));
  writeRegisters(tracee, changed);
  return original;
}

function withCall(registers: Registers, call: InjectedCall): Registers {
  const changed = registers.copy();
  changed.set('rax', syscallNumber(call.name));
  ARGUMENT_REGISTERS.forEach((name, index) => {
    changed.set(name, call.args[index] ?? 0);
  });
  return changed;
}

/** Signals that arrive meanwhile are sent again when all is done: the tracee's handlers must not run in between. */
function holdingBackSignals<T>(tracee: Tid, work: (heldBack: number[]) => T): T {
  const heldBack: number[] = [];
  const result = work(heldBack);
  for (const signal of heldBack) sendSignal(tracee, signal);
  return result;
}

/** `heldBack` collects the signals that arrive on the way. */
export function runToSyscallStop(tracee: Tid, heldBack: number[]): void {
  for (;;) {
    resume(tracee, 'to-syscall');
    const next = nextStop(tracee);
    assert(next, `tracee ${tracee} vanished while a call was being injected`);
    if (next.stop.kind === 'syscall') return;
    assert(next.stop.kind === 'signal', `unexpected stop ${next.stop.kind} during injection`);
    heldBack.push(next.stop.signal);
  }
}

/** Back to the entry of the call that was replaced. */
export function rewindCall(tracee: Tid, original: Registers): void {
  const again = original.copy();
  again.set('rip', original.get('rip') - SYSCALL_INSTRUCTION_LENGTH);
  again.set('rax', original.get('orig_rax'));
  again.set('orig_rax', -1n);
  writeRegisters(tracee, again);
}
