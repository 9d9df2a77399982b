/**
 * Breakpoints in the code of a traced process: its threads stop before the instruction, each by itself.
 *
 *   insert(task, address, code)   the first byte becomes int3
 *   hitBy(task)                   a thread has stopped with SIGTRAP: at which of them?
 *   pass(task, address)           it goes on, and the breakpoint stays for the others
 *   removeAll()                   the code is as it was
 *
 * To get a thread past a breakpoint, debuggers put the byte back, run it for one instruction and put the
 * breakpoint in again. Meanwhile others would run past it, so they have to be stopped; but a stop ends system
 * calls such as epoll_wait with EINTR, and takes longer the more threads there are. Here the byte stays: the
 * thread runs a copy of the instruction elsewhere, from which it jumps back behind the original. That takes no
 * further stop, nobody else notices, and an instruction that repeats itself (rep movsb) runs at full speed.
 *
 * While a thread is in such a copy, a signal would show its handler an address that is none of the program's;
 * so whoever traces it asks `pullBack` before delivering one, or letting go of the thread.
 *
 * What a program can notice: a thread that has SIGTRAP blocked has it unblocked after its first breakpoint.
 */
import { assert } from '../base/assert.ts';
import { CodeRoom } from './code-room.ts';
import { type Pid, type Tid, type TraceeAddress, tid, traceeAddress } from './ids.ts';
import { readMemory, writeCode } from './process-memory.ts';
import { readRegisters, resume, signalCode, writeRegisters } from './ptrace.ts';
import type { Registers } from './registers.ts';
import { Signal } from './signals.ts';
import { nextStop, type TraceeStop } from './tracee-stop.ts';

/** An instruction that may be run elsewhere. */
export interface BreakpointCode {
  /** As they are without a breakpoint. */
  readonly bytes: Uint8Array;
  /** undefined if that is too far away. */
  copyFor(place: bigint): InstructionCopy | undefined;
}

export interface InstructionCopy {
  readonly code: Uint8Array;
  /** Who is `at` bytes into the copy stands at `address` in truth, with `pushed` bytes more on its stack. */
  readonly places: readonly {
    readonly at: number;
    readonly address: bigint;
    readonly pushed: number;
  }[];
}

/** What stands in the place of an instruction's first byte. */
export const INT3 = Buffer.from([0xcc]);
/** <asm-generic/siginfo.h> */
const SI_KERNEL = 0x80;
/** Room for a copy, and for the mark behind it. */
const SLOT = 64;

/** Of a task that has stopped with SIGTRAP: whether an int3 is why, be it ours or not. Nobody has sent it then. */
export const isAtInt3 = (task: Tid): boolean => signalCode(task) === SI_KERNEL;

interface Breakpoint {
  readonly address: TraceeAddress;
  /** All bytes of the instruction. */
  readonly original: Uint8Array;
  readonly place: TraceeAddress;
  readonly copy: InstructionCopy;
  isIn: boolean;
}

export interface Hit {
  readonly address: TraceeAddress;
  /** The instruction is the next one to run. */
  readonly registers: Registers;
  /** Otherwise it was removed just after the thread had come to it. */
  readonly isIn: boolean;
}

export class Breakpoints {
  readonly #process: Pid;
  readonly #room: CodeRoom;
  readonly #byAddress = new Map<bigint, Breakpoint>();
  #mark = 0;

  /** `quietPlace`: see CodeRoom. */
  constructor(process: Pid, quietPlace: TraceeAddress) {
    this.#process = process;
    this.#room = new CodeRoom(quietPlace);
  }

  /** `task`: one of the process that stands in code of its own. The others may be running. */
  insert(task: Tid, address: TraceeAddress, code: BreakpointCode): void {
    const known = this.#byAddress.get(address);
    if (known === undefined) this.#byAddress.set(address, this.#prepared(task, address, code));
    else if (known.isIn) return;
    const breakpoint = this.#byAddress.get(address)!;
    writeCode(this.#process, address, INT3);
    breakpoint.isIn = true;
  }

  #prepared(task: Tid, address: TraceeAddress, code: BreakpointCode): Breakpoint {
    const found = readMemory(task, address, code.bytes.length);
    assert(found.equals(code.bytes), `the code at 0x${address.toString(16)} has changed`);
    const place = this.#room.take(task, address, SLOT);
    const copy = code.copyFor(place);
    assert(copy !== undefined, `the code at 0x${address.toString(16)} is too far from its copy`);
    writeCode(this.#process, place, copy.code);
    return { address, original: code.bytes.slice(), place, copy, isIn: false };
  }

  remove(address: TraceeAddress): void {
    const breakpoint = this.#byAddress.get(address);
    if (!breakpoint?.isIn) return;
    breakpoint.isIn = false;
    putBack(tid(this.#process), breakpoint);
  }

  removeAll(): void {
    for (const address of this.#byAddress.keys()) this.remove(traceeAddress(address));
  }

  /** Whether another process has the same memory, and not a copy of it: after vfork, until it executes something. */
  isSharedWith(other: Pid): boolean {
    const [any] = this.#byAddress.values();
    if (any === undefined) return false;
    const mark = traceeAddress(any.place + BigInt(SLOT - 1));
    this.#mark = (this.#mark + 1) & 0xff;
    writeCode(this.#process, mark, Buffer.from([this.#mark]));
    return readMemory(tid(other), mark, 1)[0] === this.#mark;
  }

  /** From the memory of another process that was forked from this one, and has a copy of it as it was then. */
  removeFromCopy(child: Pid): void {
    for (const breakpoint of this.#byAddress.values()) putBack(tid(child), breakpoint);
  }

  /** For a thread that has stopped with SIGTRAP; undefined if that has nothing to do with us. */
  hitBy(task: Tid): Hit | undefined {
    if (!isAtInt3(task)) return undefined;
    const registers = readRegisters(task);
    const address = traceeAddress(registers.instruction - BigInt(INT3.length));
    const breakpoint = this.#byAddress.get(address);
    if (breakpoint === undefined) return undefined;
    registers.set('rip', address);
    writeRegisters(task, registers);
    return { address, registers, isIn: breakpoint.isIn };
  }

  /** Lets a thread go on that stands at a breakpoint; `registers` are its own, if they are known. */
  pass(task: Tid, address: TraceeAddress, registers = readRegisters(task)): void {
    this.#enterCopy(task, address, registers);
    resume(task, 'freely');
  }

  /**
   * The same, but for that one instruction only, and it has run when this returns undefined. Otherwise
   * something came in between: the thread stands before the instruction still, or is gone.
   */
  passAndStop(task: Tid, address: TraceeAddress): TraceeStop | undefined {
    const { place } = this.#enterCopy(task, address, readRegisters(task));
    for (;;) {
      resume(task, 'one-step');
      const stop = nextStop(task)?.stop;
      if (stop?.kind !== 'signal') return stop ?? { kind: 'gone', status: 0 };
      const registers = readRegisters(task);
      const hasRun = registers.instruction !== place;
      const isTrap = stop.signal === Signal.SIGTRAP && signalCode(task) > 0;
      if (!isTrap || hasRun) this.pullBack(task);
      if (hasRun && isTrap) return undefined;
      if (!isTrap) return stop;
    }
  }

  /** To where a thread stands in truth that was stopped in the copy of an instruction. */
  pullBack(task: Tid): void {
    const registers = readRegisters(task);
    const at = registers.instruction;
    for (const { place, copy } of this.#byAddress.values()) {
      const found = copy.places.find((one) => place + BigInt(one.at) === at);
      if (found === undefined) continue;
      registers.set('rip', found.address);
      registers.set('rsp', registers.get('rsp') + BigInt(found.pushed));
      writeRegisters(task, registers);
      return;
    }
  }

  #enterCopy(task: Tid, address: TraceeAddress, registers: Registers): Breakpoint {
    const breakpoint = this.#byAddress.get(address);
    assert(breakpoint !== undefined, `no breakpoint at 0x${address.toString(16)}`);
    const inCopy = registers.copy();
    inCopy.set('rip', breakpoint.place);
    inCopy.set('orig_rax', -1n);
    writeRegisters(task, inCopy);
    return breakpoint;
  }
}

/** Unless something else has come there since, say after dlclose. */
function putBack(task: Tid, { address, original }: Breakpoint): void {
  const found = readMemory(task, address, original.length);
  const rest = original.subarray(INT3.length);
  const isThere = found[0] === INT3[0] && found.subarray(INT3.length).equals(rest);
  if (isThere) writeCode(task, address, original.subarray(0, INT3.length));
}
