/**
 * Runs a line number program: a machine with a few registers (address, file, line, column) whose opcodes
 * add to them, and now and then append a row to the table. One byte does most of it, a *special opcode*:
 *
 *   opcode 0x4b, with base 13, line base -5 and range 14:  0x4b - 13 = 62 = 4 × 14 + 6
 *   → address + 4, line + 1 (6 - 5), and a row
 *
 * Rows up to an "end of sequence" belong together: their addresses rise. The linker moves sequences
 * about, one for each function with -ffunction-sections, and drops some (see addresses.ts).
 */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary, hex } from '../byte-reader.ts';
import { readAddress } from './addresses.ts';
import { type LineHeader, readPlainFile } from './line-header.ts';
import { type LineRows, LineRowsBuilder } from './line-rows.ts';
import { ExtendedLineOpcode, LineOpcode } from './numbers.ts';

export function runLineProgram(header: LineHeader, reader: ByteReader): LineRows {
  return new LineMachine(header, reader).run();
}

class LineMachine {
  readonly #header: LineHeader;
  readonly #reader: ByteReader;
  readonly #rows = new LineRowsBuilder();
  #address = 0;
  #file = 1;
  #line = 1;
  #column = 0;

  /** The reader ends where the program does. */
  constructor(header: LineHeader, reader: ByteReader) {
    this.#header = header;
    this.#reader = reader;
    reader.at = header.programAt;
  }

  run(): LineRows {
    const reader = this.#reader;
    const { opcodeBase, lineBase, lineRange, smallestInstruction } = this.#header;
    while (reader.left > 0) {
      const opcode = reader.u8();
      if (opcode < opcodeBase) {
        this.#standard(opcode);
        continue;
      }
      const adjusted = opcode - opcodeBase;
      this.#address += Math.floor(adjusted / lineRange) * smallestInstruction;
      this.#line += lineBase + (adjusted % lineRange);
      this.#row();
    }
    return this.#rows.finish();
  }

  #row(): void {
    this.#rows.add(this.#address, this.#file, this.#line, this.#column);
  }

  #standard(opcode: number): void {
    const reader = this.#reader;
    const { smallestInstruction, opcodeBase, lineRange, operandCounts } = this.#header;
    switch (opcode) {
      case LineOpcode.extended:
        this.#extended();
        break;
      case LineOpcode.copy:
        this.#row();
        break;
      case LineOpcode.advancePc:
        this.#address += reader.uleb() * smallestInstruction;
        break;
      case LineOpcode.advanceLine:
        this.#line += reader.sleb();
        break;
      case LineOpcode.setFile:
        this.#file = reader.uleb();
        break;
      case LineOpcode.setColumn:
        this.#column = reader.uleb();
        break;
      case LineOpcode.constAddPc:
        this.#address += Math.floor((255 - opcodeBase) / lineRange) * smallestInstruction;
        break;
      case LineOpcode.fixedAdvancePc:
        this.#address += reader.u16();
        break;
      default:
        // Known ones that say nothing about lines, and those of later versions.
        for (let left = operandCounts[opcode - 1]!; left > 0; left--) reader.skipLeb();
    }
  }

  #extended(): void {
    const reader = this.#reader;
    const at = reader.at;
    const length = reader.uleb();
    const next = reader.at + length;
    if (length === 0 || next > reader.end)
      throw new BadBinary(
        `the line program has no extended opcode of ${length} bytes (${hex(at)})`,
      );
    const opcode = reader.u8();
    if (opcode === ExtendedLineOpcode.endSequence) this.#endSequence();
    else if (opcode === ExtendedLineOpcode.setAddress) this.#setAddress(length - 1);
    else if (opcode === ExtendedLineOpcode.defineFile)
      this.#header.files.add(readPlainFile(reader, reader.cString()));
    reader.at = next;
  }

  #setAddress(size: number): void {
    if (size !== 4 && size !== 8)
      throw new BadBinary(`an address of ${size} bytes at ${hex(this.#reader.at)} of .debug_line`);
    this.#address = readAddress(this.#reader, size);
  }

  #endSequence(): void {
    this.#rows.endSequence(this.#address);
    this.#address = 0;
    this.#file = 1;
    this.#line = 1;
    this.#column = 0;
  }
}
