/**
 * Writes programs for the kernel's BPF machine: eleven 64-bit registers (`fp` points above 512
 * bytes of stack), eight bytes an instruction, checked by the kernel before it runs them.
 *
 *   new BpfAssembler()
 *     .callHelper('get_current_pid_tgid')        // r0 = tgid << 32 | tid
 *     .jumpIf('r0', '!=', 0, 'end')              // labels may come later
 *     .label('end').move('r0', 0).exit()
 *     .assemble()                                // what loadProgram() takes
 *
 * Encodings: <linux/bpf.h>, <linux/bpf_common.h>, Documentation/bpf/standardization. Everything is
 * 64 bits wide, but for memory accesses, which name their size in bytes.
 */
import { assert } from '../base/assert.ts';
import type { BpfMap } from './bpf.ts';

const Register = {
  r0: 0,
  r1: 1,
  r2: 2,
  r3: 3,
  r4: 4,
  r5: 5,
  r6: 6,
  r7: 7,
  r8: 8,
  r9: 9,
  fp: 10,
} as const;
export type Register = keyof typeof Register;

/** `BPF_LDX | BPF_MEM` and its relatives: BPF_W is 0x00, BPF_H 0x08, BPF_B 0x10, BPF_DW 0x18. */
const Width = { 1: 0x10, 2: 0x08, 4: 0x00, 8: 0x18 } as const;
export type Width = keyof typeof Width;

/** The upper four bits of the code of a BPF_ALU64 instruction. */
const Arithmetic = {
  add: 0x00,
  subtract: 0x10,
  multiply: 0x20,
  or: 0x40,
  and: 0x50,
  shiftLeft: 0x60,
  shiftRight: 0x70,
  move: 0xb0,
} as const;

/** The upper four bits of the code of a BPF_JMP instruction; `s` compares as signed. */
const Comparison = {
  '==': 0x10,
  '>': 0x20,
  '>=': 0x30,
  '&': 0x40,
  '!=': 0x50,
  's>': 0x60,
  's>=': 0x70,
  '<': 0xa0,
  '<=': 0xb0,
  's<': 0xc0,
  's<=': 0xd0,
} as const;
export type Comparison = keyof typeof Comparison;

/** `enum bpf_func_id`, <linux/bpf.h>, without the `BPF_FUNC_`. */
const Helper = {
  map_lookup_elem: 1,
  map_update_elem: 2,
  map_delete_elem: 3,
  ktime_get_ns: 5,
  /** Goes on with another program (context, program-array, index); comes back only if it cannot. */
  tail_call: 12,
  get_current_pid_tgid: 14,
  get_current_task: 35,
  probe_read_user: 112,
  probe_read_kernel: 113,
  probe_read_user_str: 114,
  probe_read_kernel_str: 115,
  ringbuf_output: 130,
  get_current_task_btf: 158,
} as const;
export type Helper = keyof typeof Helper;

const Code = {
  jump: 0x05,
  arithmetic: 0x07,
  /** BPF_X: the second operand is a register. */
  withRegister: 0x08,
  load64: 0x18,
  load: 0x61,
  storeNumber: 0x62,
  store: 0x63,
  call: 0x85,
  exit: 0x95,
  atomic: 0xdb,
} as const;

/** BPF_ADD | BPF_FETCH: the register receives what was there before. */
const FETCH_ADD = 0x01;
/** What the two halves of a 64-bit load stand for: the source register says. */
const PSEUDO_MAP_FD = 1;
const PSEUDO_MAP_VALUE = 2;

interface Instruction {
  code: number;
  to: number;
  from: number;
  offset: number;
  number: number;
  jumpsTo?: string;
}

export class BpfAssembler {
  readonly #instructions: Instruction[] = [];
  readonly #labels = new Map<string, number>();
  #labelsMade = 0;

  move(to: Register, value: Register | number): this {
    return this.#compute('move', to, value);
  }

  add(to: Register, value: Register | number): this {
    return this.#compute('add', to, value);
  }

  subtract(to: Register, value: Register | number): this {
    return this.#compute('subtract', to, value);
  }

  multiply(to: Register, value: Register | number): this {
    return this.#compute('multiply', to, value);
  }

  or(to: Register, value: Register | number): this {
    return this.#compute('or', to, value);
  }

  and(to: Register, value: Register | number): this {
    return this.#compute('and', to, value);
  }

  shiftLeft(to: Register, value: Register | number): this {
    return this.#compute('shiftLeft', to, value);
  }

  shiftRight(to: Register, value: Register | number): this {
    return this.#compute('shiftRight', to, value);
  }

  /** Any 64 bits, where `move` takes 32 and extends their sign. */
  moveLong(to: Register, value: bigint): this {
    const low = Number(BigInt.asIntN(32, value));
    return this.#load64(to, 0, low, Number(BigInt.asIntN(32, value >> 32n)));
  }

  /** The map itself, for the helpers that take one. */
  moveMap(to: Register, map: BpfMap): this {
    return this.#load64(to, PSEUDO_MAP_FD, map.fd, 0);
  }

  /** The address of an array's first value, without a look-up; only for type `array`. */
  moveMapValue(to: Register, map: BpfMap, offset = 0): this {
    return this.#load64(to, PSEUDO_MAP_VALUE, map.fd, offset);
  }

  load(width: Width, to: Register, base: Register, offset: number): this {
    return this.#add(Code.load | Width[width], Register[to], Register[base], offset);
  }

  store(width: Width, base: Register, offset: number, value: Register | number): this {
    return typeof value === 'number'
      ? this.#add(Code.storeNumber | Width[width], Register[base], 0, offset, value)
      : this.#add(Code.store | Width[width], Register[base], Register[value], offset);
  }

  /** Adds to 64 bits of memory that all CPUs share; `value` becomes what was there before. */
  fetchAdd(base: Register, offset: number, value: Register): this {
    return this.#add(Code.atomic, Register[base], Register[value], offset, FETCH_ADD);
  }

  /** Arguments in r1 to r5, which are lost; the result is in r0. */
  callHelper(helper: Helper): this {
    return this.#add(Code.call, 0, 0, 0, Helper[helper]);
  }

  jump(label: string): this {
    return this.#add(Code.jump, 0, 0, 0, 0, label);
  }

  jumpIf(left: Register, comparison: Comparison, right: Register | number, label: string): this {
    const code = Code.jump | Comparison[comparison];
    return typeof right === 'number'
      ? this.#add(code, Register[left], 0, 0, right, label)
      : this.#add(code | Code.withRegister, Register[left], Register[right], 0, 0, label);
  }

  exit(): this {
    return this.#add(Code.exit);
  }

  label(name: string): this {
    assert(!this.#labels.has(name), `two places are labelled ${name}`);
    this.#labels.set(name, this.#instructions.length);
    return this;
  }

  /** A label for a piece of code that a program holds more than once. */
  newLabel(name: string): string {
    this.#labelsMade += 1;
    return `${name} ${this.#labelsMade}`;
  }

  assemble(): Buffer {
    const bytes = Buffer.alloc(8 * this.#instructions.length);
    for (const [index, instruction] of this.#instructions.entries()) {
      const { code, to, from, number } = instruction;
      bytes[8 * index] = code;
      bytes[8 * index + 1] = to | (from << 4);
      bytes.writeInt16LE(this.#offsetOf(instruction, index), 8 * index + 2);
      bytes.writeInt32LE(number, 8 * index + 4);
    }
    return bytes;
  }

  /** Jumps count instructions from the one after them. */
  #offsetOf({ offset, jumpsTo }: Instruction, index: number): number {
    if (jumpsTo === undefined) return offset;
    const target = this.#labels.get(jumpsTo);
    assert(target !== undefined, `nothing is labelled ${jumpsTo}`);
    return target - index - 1;
  }

  #compute(operation: keyof typeof Arithmetic, to: Register, value: Register | number): this {
    const code = Code.arithmetic | Arithmetic[operation];
    return typeof value === 'number'
      ? this.#add(code, Register[to], 0, 0, value)
      : this.#add(code | Code.withRegister, Register[to], Register[value]);
  }

  #load64(to: Register, kind: number, low: number, high: number): this {
    return this.#add(Code.load64, Register[to], kind, 0, low).#add(0, 0, 0, 0, high);
  }

  #add(code: number, to = 0, from = 0, offset = 0, number = 0, jumpsTo?: string): this {
    const jump = jumpsTo === undefined ? {} : { jumpsTo };
    this.#instructions.push({ code, to, from, offset, number, ...jump });
    return this;
  }
}
