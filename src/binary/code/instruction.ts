/**
 * What the rest has to know of an instruction. `add dword ptr [rbx+rcx*4+8],eax` at 0x1040 is
 *
 *   { address: 0x1040, length: 4, flow: Next, reads: rax rbx rcx, writes: nothing,
 *     memory: [{ base: rbx, index: rcx, scale: 4, displacement: 8, size: 4, isRead, isWritten }] }
 */
import type { FlowControl, Mnemonic, OpKind, Register } from 'iced-x86';
import type { RegisterNumber, RegisterSet } from './general-registers.ts';

/** No address at all: less than any other, also than those below 0, which code may well speak of. */
export const NOWHERE = Number.NEGATIVE_INFINITY;

export interface Instruction {
  readonly address: number;
  readonly length: number;
  readonly mnemonic: Mnemonic;
  readonly flow: FlowControl;
  /** Where a direct jump or call leads; NOWHERE for all others. */
  readonly target: number;
  /**
   * The address of an operand that is given relative to the instruction's own; NOWHERE for all others. For
   * `table[i - 9000]` it may be one below the table, and below 0.
   */
  readonly relativeOperand: number;
  /** Where in the instruction the 32 bits of that are. */
  readonly displacementAt: number;
  readonly reads: RegisterSet;
  readonly writes: RegisterSet;
  /** Of `writes`, those of which nothing is left of what they were. */
  readonly replaces: RegisterSet;
  readonly readsFlags: boolean;
  /** All of the status flags, so that nobody can want to know what they were. */
  readonly replacesFlags: boolean;
  readonly memory: readonly MemoryOperand[];
  /** Has a lock prefix, or is an exchange with memory, which needs none. */
  readonly isAtomic: boolean;
  readonly repetition: Repetition;
  readonly operands: readonly Operand[];
  /** Of an address that is only computed, by lea: its parts. */
  readonly addressBase: RegisterNumber;
  readonly addressIndex: RegisterNumber;
  readonly addressDisplacement: number;
  /** What is added to its first operand, a register of 64 bits: `add rax,8`, `dec rax`, `lea rax,[rax-8]`; else 0. */
  readonly increment: number;
}

/** `counted`: rep movs and stos, as often as rcx says; `searching`: repne scas, at most as often. */
export type Repetition = 'none' | 'counted' | 'searching';

export interface Operand {
  readonly kind: OpKind;
  /** If it is one, otherwise 0. */
  readonly register: Register;
}

export interface MemoryOperand {
  /** NO_REGISTER if there is none, as in `[rip+0x2f00]`. */
  readonly base: RegisterNumber;
  readonly index: RegisterNumber;
  readonly scale: number;
  /** The whole address, where it hangs on no register. */
  readonly displacement: number;
  readonly size: number;
  readonly isRead: boolean;
  readonly isWritten: boolean;
  readonly place: OperandPlace;
}

/**
 * `fs`, `gs`: relative to that, which each thread has for itself. `pushed`: where a push, a call or the like puts it, which is not in the
 * instruction. `scattered`: a gather or scatter, with an address for each element.
 */
export type OperandPlace = 'memory' | 'fs' | 'gs' | 'pushed' | 'scattered';
