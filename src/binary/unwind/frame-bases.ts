/**
 * Where a function's frame is while each of its instructions is about to run, by its call frame
 * instructions: a table of rows, of which `frameBases` finds the one for an address.
 *
 *   0x1149  rsp + 8       push rbp
 *   0x114a  rsp + 16      mov rbp,rsp
 *   0x114d  rbp + 16      …
 */
import { firstIndex } from '../../base/bisect.ts';
import { ByteReader } from '../byte-reader.ts';
import type { FrameBase, FrameBases } from '../code/stack-frame.ts';
import {
  type CallFrameInstruction,
  decodeCallFrame,
  decodeFirstInstructions,
} from './call-frame-instructions.ts';
import type { Fde } from './eh-frame.ts';

/** DWARF numbers registers in its own way: the processor's number of each. */
const PROCESSOR_NUMBERS = [0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15];

interface Row {
  readonly from: number;
  readonly base: FrameBase | undefined;
}

export function frameBases(fde: Fde): FrameBases {
  const rows = rowsOf(fde);
  return (address) => rows[firstIndex(rows, ({ from }) => from > address) - 1]?.base;
}

function rowsOf(fde: Fde): Row[] {
  const state = new FrameState(fde.cie.dataAlignment);
  for (const instruction of decodeFirstInstructions(fde)) {
    state.take(instruction, fde.cie.instructions);
  }
  const rows: Row[] = [];
  let from: number = fde.start;
  for (const instruction of decodeCallFrame(fde)) {
    const { advance, location } = instruction;
    if (advance === undefined && location === undefined) state.take(instruction, fde.instructions);
    else {
      rows.push({ from, base: state.base });
      from = location ?? from + advance!;
    }
  }
  rows.push({ from, base: state.base });
  return rows;
}

class FrameState {
  base: FrameBase | undefined;
  readonly #remembered: (FrameBase | undefined)[] = [];
  readonly #dataAlignment: number;

  constructor(dataAlignment: number) {
    this.#dataAlignment = dataAlignment;
  }

  take({ opcode, from, to }: CallFrameInstruction, bytes: Uint8Array): void {
    const operands = new ByteReader(bytes, from + 1, to);
    switch (opcode) {
      case 0x0a: // remember_state
        this.#remembered.push(this.base);
        return;
      case 0x0b: // restore_state
        this.base = this.#remembered.pop();
        return;
      case 0x0c: // def_cfa
        this.base = baseOf(operands.uleb(), operands.uleb());
        return;
      case 0x0d: // def_cfa_register
        this.base = this.base && baseOf(operands.uleb(), this.base.offset);
        return;
      case 0x0e: // def_cfa_offset
        this.base = this.base && { ...this.base, offset: operands.uleb() };
        return;
      case 0x0f: // def_cfa_expression
        this.base = undefined;
        return;
      case 0x12: // def_cfa_sf
        this.base = baseOf(operands.uleb(), operands.sleb() * this.#dataAlignment);
        return;
      case 0x13: // def_cfa_offset_sf
        this.base = this.base && {
          ...this.base,
          offset: operands.sleb() * this.#dataAlignment,
        };
        return;
    }
  }
}

function baseOf(dwarfRegister: number, offset: number): FrameBase | undefined {
  const register = PROCESSOR_NUMBERS[dwarfRegister];
  return register === undefined ? undefined : { register, offset };
}
