/**
 * Call frame instructions: the program that says, from which instruction on, where the caller's registers
 * are. `41 0e 10 86 02` is
 *
 *   41     advance_loc 1        from the next byte of code on …
 *   0e 10  def_cfa_offset 16    … the frame is 16 bytes above the stack pointer,
 *   86 02  offset r6, 2         and the old rbp is at its start minus 16.
 *
 * Only what it takes to write them again for moved code is decoded: which bytes each has, where it
 * advances to, and its expression. DWARF 5, section 6.4.2.
 */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import type { Cie } from './cie.ts';
import type { Fde } from './eh-frame.ts';
import { readPointer } from './pointer-encoding.ts';

export interface CallFrameInstruction {
  /** The first byte; without the operand in it for the three that have one (0x40, 0x80, 0xc0). */
  opcode: number;
  /** Its bytes, as indices of those of all instructions. */
  from: number;
  to: number;
  /** For those that move on: by how many bytes of code. */
  advance: number | undefined;
  /** For `set_loc`: where to. */
  location: number | undefined;
  /** For those that have one: the bytes of a DWARF expression. */
  expression: Uint8Array | undefined;
}

export const Opcode = { nop: 0, advance4: 4, advance: 0x40, offset: 0x80, restore: 0xc0 } as const;

/** What follows the opcode: u(leb), s(leb), 1, 2, 4, 8 bytes to advance by, l(ocation), e(xpression). */
const OPERANDS: ReadonlyMap<number, string> = new Map([
  [0x00, ''], // nop
  [0x01, 'l'], // set_loc
  [0x02, '1'], // advance_loc1
  [0x03, '2'], // advance_loc2
  [0x04, '4'], // advance_loc4
  [0x05, 'uu'], // offset_extended
  [0x06, 'u'], // restore_extended
  [0x07, 'u'], // undefined
  [0x08, 'u'], // same_value
  [0x09, 'uu'], // register
  [0x0a, ''], // remember_state
  [0x0b, ''], // restore_state
  [0x0c, 'uu'], // def_cfa
  [0x0d, 'u'], // def_cfa_register
  [0x0e, 'u'], // def_cfa_offset
  [0x0f, 'e'], // def_cfa_expression
  [0x10, 'ue'], // expression
  [0x11, 'us'], // offset_extended_sf
  [0x12, 'us'], // def_cfa_sf
  [0x13, 's'], // def_cfa_offset_sf
  [0x14, 'uu'], // val_offset
  [0x15, 'us'], // val_offset_sf
  [0x16, 'ue'], // val_expression
  [0x1d, '8'], // MIPS_advance_loc8
  [0x2e, 'u'], // GNU_args_size
  [0x2f, 'uu'], // GNU_negative_offset_extended
]);

/** A function's own instructions. */
export function decodeCallFrame(fde: Fde): CallFrameInstruction[] {
  return decode(fde.instructions, fde, fde.instructionsAt);
}

/** Those of its CIE, which come before them. */
export function decodeFirstInstructions(fde: Fde): CallFrameInstruction[] {
  return decode(fde.cie.instructions, fde, undefined);
}

function decode(bytes: Uint8Array, { cie }: Fde, at: number | undefined): CallFrameInstruction[] {
  const reader = new ByteReader(bytes, 0, bytes.length, 'call frame instructions');
  const instructions: CallFrameInstruction[] = [];
  while (reader.left > 0) {
    const from = reader.at;
    const byte = reader.u8();
    const found: CallFrameInstruction = {
      opcode: byte < 0x40 ? byte : byte & 0xc0,
      from,
      to: from + 1,
      advance: undefined,
      location: undefined,
      expression: undefined,
    };
    instructions.push(found);
    if (found.opcode === Opcode.advance) found.advance = (byte & 0x3f) * cie.codeAlignment;
    else if (found.opcode === Opcode.offset) reader.skipLeb();
    else if (found.opcode !== Opcode.restore) readOperands(reader, found, cie, at);
    found.to = reader.at;
  }
  return instructions;
}

function readOperands(
  reader: ByteReader,
  found: CallFrameInstruction,
  { codeAlignment, pointerEncoding }: Cie,
  at: number | undefined,
): void {
  const operands = OPERANDS.get(found.opcode);
  if (operands === undefined) {
    throw new BadBinary(`call frame instruction ${hex(found.opcode)} does not exist`);
  }
  for (let index = 0; index < operands.length; index++) {
    const operand = operands[index];
    if (operand === 'u' || operand === 's') reader.skipLeb();
    else if (operand === '1') found.advance = reader.u8() * codeAlignment;
    else if (operand === '2') found.advance = reader.u16() * codeAlignment;
    else if (operand === '4') found.advance = reader.u32() * codeAlignment;
    else if (operand === '8') found.advance = reader.u64() * codeAlignment;
    else if (operand === 'e') found.expression = reader.bytes(reader.uleb());
    else if (at === undefined) throw new BadBinary('a CIE has a call frame instruction set_loc');
    else found.location = readPointer(reader, pointerEncoding, { bytes: at })?.target ?? 0;
  }
}
