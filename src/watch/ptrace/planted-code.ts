/**
 * Breakpoints that come and go all the time: the first byte of an instruction becomes int3, and is put back
 * before a thread goes on from there.
 *
 *   plant(0x11a2)      cc 05 98 2e …       nobody is stopped for it
 *   T7 comes to it     SIGTRAP, rip = 0x11a3; it is set back to 0x11a2
 *   release T7         8b 05 98 2e …       and T9, which came to it as well in between, goes back and on, too
 *
 * What is planted is written with the next `write`, when somebody is there to look who comes to it, and its time has
 * come.
 *
 * So nobody is ever stepped over one, and no room for copies of instructions is needed (as linux/breakpoints.ts
 * has it for those that must stay). Nothing is written where something else stands than what we have seen there:
 * code comes and goes by dlopen and dlclose.
 */
import { tryTo } from '../../base/result.ts';
import type { ProcessBreakpoints } from '../../debugger/traced-process.ts';
import { type Hit, INT3, isAtInt3 } from '../../linux/breakpoints.ts';
import { blockTrapAgain } from '../../linux/forced-trap.ts';
import {
  type Pid,
  pid,
  type Tid,
  type TraceeAddress,
  tid,
  traceeAddress,
} from '../../linux/ids.ts';
import { sharesMemory } from '../../linux/kcmp.ts';
import { CodeWriter, readMemory, writeCode } from '../../linux/process-memory.ts';
import { readRegisters, resume, writeRegisters } from '../../linux/ptrace.ts';
import type { Registers } from '../../linux/registers.ts';

/** So many bytes from an instruction on tell whether it is still the same code. */
const KNOWN_BYTES = 16;

export class PlantedCode implements ProcessBreakpoints {
  readonly #process: Pid;
  /** By address: the bytes from there on, as they are without us. */
  readonly #planted = new Map<bigint, Uint8Array>();
  /** Those of them that are not written yet, and from when on they are to be. */
  readonly #unwritten = new Map<bigint, number>();
  /** Those that were: threads may have come to them just before. */
  readonly #former = new Map<bigint, Uint8Array>();
  readonly #forget: (address: bigint) => void;
  #openWriter: CodeWriter | undefined;

  /** `forget`: told of each that is not there any more. */
  constructor(process: Pid, forget: (address: bigint) => void = () => {}) {
    this.#process = process;
    this.#forget = forget;
  }

  get addresses(): Iterable<bigint> {
    return this.#planted.keys();
  }

  has(address: bigint): boolean {
    return this.#planted.has(address);
  }

  /** To write code with; undefined if there is no process any more. */
  get memory(): number | undefined {
    return this.#writer().descriptor;
  }

  /** The code at a breakpoint, without us. */
  codeAt(address: bigint): Uint8Array | undefined {
    return this.#planted.get(address);
  }

  /** `expected`: the code as its file has it, at least its first byte. False if something else stands there. */
  plant(address: bigint, expected: Uint8Array, from = Number.NEGATIVE_INFINITY): boolean {
    if (this.#planted.has(address)) return true;
    const bytes = this.read(address, KNOWN_BYTES);
    const common = Math.min(bytes.length, expected.length);
    const isExpected = common > 0 && sameBytes(bytes, expected, common);
    if (!isExpected || bytes[0] === INT3[0]) return false;
    this.#planted.set(address, bytes);
    this.#unwritten.set(address, from);
    return true;
  }

  /** From here on whoever comes to one is stopped. Where code has gone since, nobody comes. */
  write(): void {
    const now = performance.now();
    for (const [address, from] of this.#unwritten) {
      if (from > now) continue;
      this.#unwritten.delete(address);
      void tryTo(() => this.#writer().write(traceeAddress(address), INT3));
    }
  }

  /** When there is more to be written. */
  get nextWrite(): number {
    return Math.min(...this.#unwritten.values());
  }

  /** For somebody else who writes them, the first ones first: when each is to be written. */
  takeUnwritten(): (readonly [address: bigint, from: number])[] {
    const unwritten = [...this.#unwritten].sort(([, one], [, other]) => one - other);
    this.#unwritten.clear();
    return unwritten;
  }

  /** These were not written. */
  putOff(unwritten: readonly (readonly [address: bigint, from: number])[]): void {
    for (const [address, from] of unwritten) this.#unwritten.set(address, from);
  }

  unplant(address: bigint): void {
    const original = this.#planted.get(address);
    if (original === undefined) return;
    if (!this.#unwritten.delete(address)) this.#putBack(this.#process, address, original);
    this.#isPutBack(address, original);
  }

  /** Somebody else has put back what was there. */
  wasPutBack(address: bigint): void {
    const original = this.#planted.get(address);
    if (original !== undefined) this.#isPutBack(address, original);
  }

  #isPutBack(address: bigint, original: Uint8Array): void {
    this.#planted.delete(address);
    this.#former.set(address, original);
    this.#forget(address);
  }

  removeAll(): void {
    for (const address of [...this.#planted.keys()]) this.unplant(address);
  }

  /** Nothing of us is left there, or the memory itself is not. */
  close(): void {
    this.#openWriter?.close();
    this.#openWriter = undefined;
  }

  /** From the memory of another process that was forked from this one, with a copy of it as it was then. */
  removeFromCopy(child: Pid): void {
    for (const [address, original] of this.#planted) this.#putBack(child, address, original);
    for (const [address, original] of this.#former) {
      if (!this.#planted.has(address)) this.#putBack(child, address, original);
    }
  }

  isSharedWith(other: Pid): boolean {
    // If nobody can say, it is treated as one that does: it stays with us.
    return sharesMemory(this.#process, other) !== false;
  }

  hitBy(task: Tid): Hit | undefined {
    if (!isAtInt3(task)) return undefined;
    const registers = readRegisters(task);
    const address = traceeAddress(registers.instruction - BigInt(INT3.length));
    const isIn = this.#planted.has(address);
    if (!isIn && !this.#wasOurs(task, address)) return undefined;
    registers.set('rip', address);
    writeRegisters(task, registers);
    blockTrapAgain(task);
    return { address, registers, isIn };
  }

  pass(task: Tid, address: TraceeAddress, _registers: Registers): void {
    const original = this.#planted.get(address);
    this.unplant(address);
    // It may be one with a copy of the memory.
    if (original !== undefined) this.#putBack(pid(task), address, original);
    resume(task, 'freely');
  }

  /** As many bytes as there are, as they are without us. */
  read(address: bigint, size: number): Buffer {
    const bytes = readMemory(tid(this.#process), traceeAddress(address), size);
    this.#clean(address, bytes);
    return bytes;
  }

  /** One of the program's own has stood there since, or stands there now. */
  #wasOurs(task: Tid, address: TraceeAddress): boolean {
    return this.#former.has(address) && readMemory(task, address, 1)[0] !== INT3[0];
  }

  #clean(address: bigint, bytes: Uint8Array): void {
    for (let at = bytes.indexOf(INT3[0]!); at >= 0; at = bytes.indexOf(INT3[0]!, at + 1)) {
      const place = address + BigInt(at);
      // A copy of the memory may be of a time when others were planted.
      const original = this.#planted.get(place) ?? this.#former.get(place);
      if (original !== undefined) bytes[at] = original[0]!;
    }
  }

  #putBack(process: Pid, address: bigint, original: Uint8Array): void {
    // The process may have ended, or the code may have gone.
    void tryTo(() => {
      const found = readMemory(tid(process), traceeAddress(address), original.length);
      if (found[0] !== INT3[0] || found.length < original.length) return;
      this.#clean(address, found);
      found[0] = original[0]!;
      if (!sameBytes(found, original, original.length)) return;
      const first = original.subarray(0, INT3.length);
      if (process === this.#process) this.#writer().write(traceeAddress(address), first);
      else writeCode(process, traceeAddress(address), first);
    });
  }

  #writer(): CodeWriter {
    this.#openWriter ??= new CodeWriter(this.#process);
    return this.#openWriter;
  }
}

function sameBytes(one: Uint8Array, other: Uint8Array, count: number): boolean {
  for (let at = 0; at < count; at++) if (one[at] !== other[at]) return false;
  return true;
}
