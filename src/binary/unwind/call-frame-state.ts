/**
 * Where a function's caller has its registers, while each of the function's instructions is about to run: what
 * its call frame instructions amount to up to an address. `41 0e 10 86 02`, from the second byte of code on:
 *
 *   frame   rsp + 16                    (the canonical frame address, where the caller's stack pointer was)
 *   rbp     at frame - 16
 *   return  at frame - 8                (from the CIE)
 *
 * Registers have DWARF's numbers here (psABI, figure 3.36): 6 is rbp, 7 rsp, 16 the return address.
 */
import { ByteReader } from '../byte-reader.ts';
import {
  type CallFrameInstruction,
  decodeCallFrame,
  decodeFirstInstructions,
  Opcode,
} from './call-frame-instructions.ts';
import type { Fde } from './eh-frame.ts';

/** Where the frame is: a register and what to add, or a formula; undefined if nothing says so. */
export type FrameRule =
  | { readonly register: number; readonly offset: number }
  | { readonly expression: Uint8Array }
  | undefined;

/** Where the caller's register is, or what it is (`value…`). */
export type RegisterRule =
  | { readonly kind: 'unknown' | 'same' }
  | { readonly kind: 'at-offset' | 'value-offset'; readonly offset: number }
  | { readonly kind: 'register'; readonly register: number }
  | { readonly kind: 'at-expression' | 'value-expression'; readonly expression: Uint8Array };

interface Remembered {
  readonly frame: FrameRule;
  readonly rules: ReadonlyMap<number, RegisterRule>;
}

export class CallFrameState {
  frame: FrameRule;
  #rules = new Map<number, RegisterRule>();
  #first: ReadonlyMap<number, RegisterRule> = new Map();
  readonly #remembered: Remembered[] = [];
  readonly #fde: Fde;

  /** As it is at the function's first instruction, before its own call frame instructions. */
  constructor(fde: Fde) {
    this.#fde = fde;
    for (const instruction of decodeFirstInstructions(fde)) {
      this.#take(instruction, fde.cie.instructions);
    }
    this.#first = new Map(this.#rules);
  }

  get rules(): ReadonlyMap<number, RegisterRule> {
    return this.#rules;
  }

  /** One of the function's own. */
  take(instruction: CallFrameInstruction): void {
    this.#take(instruction, this.#fde.instructions);
  }

  #take({ opcode, from, to, expression }: CallFrameInstruction, bytes: Uint8Array): void {
    const operands = new ByteReader(bytes, from + 1, to);
    const { dataAlignment } = this.#fde.cie;
    const factored = (): number => operands.uleb() * dataAlignment;
    const factoredSigned = (): number => operands.sleb() * dataAlignment;
    const at = (register: number, offset: number): void => {
      this.#rules.set(register, { kind: 'at-offset', offset });
    };
    switch (opcode) {
      case Opcode.offset:
        return at(bytes[from]! & 0x3f, factored());
      case Opcode.restore:
        return this.#restore(bytes[from]! & 0x3f);
      case 0x05: // offset_extended
        return at(operands.uleb(), factored());
      case 0x06: // restore_extended
        return this.#restore(operands.uleb());
      case 0x07: // undefined
        this.#rules.set(operands.uleb(), { kind: 'unknown' });
        return;
      case 0x08: // same_value
        this.#rules.set(operands.uleb(), { kind: 'same' });
        return;
      case 0x09: // register
        this.#rules.set(operands.uleb(), { kind: 'register', register: operands.uleb() });
        return;
      case 0x0a: // remember_state
        this.#remembered.push({ frame: this.frame, rules: new Map(this.#rules) });
        return;
      case 0x0b: // restore_state
        this.#recall();
        return;
      case 0x0c: // def_cfa
        this.frame = { register: operands.uleb(), offset: operands.uleb() };
        return;
      case 0x0d: // def_cfa_register
        this.frame = moved(this.frame, { register: operands.uleb() });
        return;
      case 0x0e: // def_cfa_offset
        this.frame = moved(this.frame, { offset: operands.uleb() });
        return;
      case 0x0f: // def_cfa_expression
        this.frame = { expression: expression! };
        return;
      case 0x10: // expression
        this.#rules.set(operands.uleb(), { kind: 'at-expression', expression: expression! });
        return;
      case 0x11: // offset_extended_sf
        return at(operands.uleb(), factoredSigned());
      case 0x12: // def_cfa_sf
        this.frame = { register: operands.uleb(), offset: factoredSigned() };
        return;
      case 0x13: // def_cfa_offset_sf
        this.frame = moved(this.frame, { offset: factoredSigned() });
        return;
      case 0x14: // val_offset
        this.#rules.set(operands.uleb(), { kind: 'value-offset', offset: factored() });
        return;
      case 0x15: // val_offset_sf
        this.#rules.set(operands.uleb(), { kind: 'value-offset', offset: factoredSigned() });
        return;
      case 0x16: // val_expression
        this.#rules.set(operands.uleb(), { kind: 'value-expression', expression: expression! });
        return;
      case 0x2f: // GNU_negative_offset_extended
        return at(operands.uleb(), -factored());
    }
  }

  #restore(register: number): void {
    const rule = this.#first.get(register);
    if (rule) this.#rules.set(register, rule);
    else this.#rules.delete(register);
  }

  #recall(): void {
    const remembered = this.#remembered.pop();
    this.frame = remembered?.frame;
    this.#rules = new Map(remembered?.rules);
  }
}

/** Only a frame that hangs on a register can be changed in one respect. */
const moved = (frame: FrameRule, change: { register?: number; offset?: number }): FrameRule =>
  frame && 'register' in frame ? { ...frame, ...change } : undefined;

/** The state while the instruction at this address is about to run. */
export function callFrameAt(fde: Fde, address: number): CallFrameState {
  const state = new CallFrameState(fde);
  let from: number = fde.start;
  for (const instruction of decodeCallFrame(fde)) {
    const { advance, location } = instruction;
    if (advance === undefined && location === undefined) state.take(instruction);
    else {
      from = location ?? from + advance!;
      if (from > address) break;
    }
  }
  return state;
}
