/**
 * Breakpoints at which a window can be opened by linux/quick-look.ts: those before instructions that touch one place,
 * whose address is made of registers alone.
 *
 *   add dword ptr [rbx+rcx*4+8],eax     yes: 4 bytes at rbx + 4·rcx + 8
 *   rep movsb                           no: it touches two places, of a length that rcx says
 *   vgatherdps …                        no: a place for each element of a vector register
 */
import { NO_REGISTER } from '../../binary/code/general-registers.ts';
import { type Instruction, NOWHERE } from '../../binary/code/instruction.ts';
import { generalName } from '../../debugger/touched-at.ts';
import type { Pid } from '../../linux/ids.ts';
import { type AccessShape, type QuickLook, quickLook } from '../../linux/quick-look.ts';
import { KNOWN_BYTES, MOST_TOUCHED } from '../../linux/quick-look-layout.ts';
import { firstOf } from '../watched-code.ts';

export class QuickPlaces {
  readonly #process: Pid;
  readonly #isWanted: boolean;
  #look: QuickLook | undefined;

  constructor(process: Pid, isWanted: boolean) {
    this.#process = process;
    this.#isWanted = isWanted;
  }

  /** undefined if there is no such library, or nobody wants it. */
  get look(): QuickLook | undefined {
    return this.#look;
  }

  /** `memory`: a descriptor of the process's memory, as it is now, to write to. */
  startAnew(memory: number | undefined): void {
    this.close();
    if (this.#isWanted && memory !== undefined) this.#look = quickLook(this.#process, memory);
  }

  /** `code`: from there on, without breakpoints. */
  planted(address: bigint, code: Uint8Array): void {
    if (this.#look === undefined || code.length !== KNOWN_BYTES) return;
    const instruction = firstOf(code);
    const shape = instruction && accessShape(instruction, address);
    if (shape !== undefined) this.#look.know(address, shape, code);
  }

  forget(address: bigint): void {
    this.#look?.forget(address);
  }

  close(): void {
    this.#look?.close();
    this.#look = undefined;
  }
}

/** Of an instruction that was decoded as if it were at 0; undefined if it takes more to say what it touches. */
export function accessShape(instruction: Instruction, address: bigint): AccessShape | undefined {
  const { memory, relativeOperand, repetition } = instruction;
  const touched = memory.filter(({ place }) => place !== 'pushed');
  const [operand] = touched;
  if (operand === undefined || touched.length > 1 || repetition !== 'none') return undefined;
  const { base, index, scale, displacement, size, isWritten, place } = operand;
  if (place === 'scattered' || size < 1 || size > MOST_TOUCHED) return undefined;
  const isRelative = relativeOperand !== NOWHERE && base === NO_REGISTER;
  return {
    base: base === NO_REGISTER ? undefined : generalName(base),
    index: index === NO_REGISTER ? undefined : generalName(index),
    segment: place === 'fs' ? 'fs_base' : place === 'gs' ? 'gs_base' : undefined,
    scale,
    displacement: isRelative ? address + BigInt(relativeOperand) : BigInt(displacement),
    ...{ size, isStore: isWritten },
  };
}
