/**
 * Where jumps of an image may lead, over all of its code: the rest of a function that was split, `f.cold`, goes
 * back into the middle of `f`. Bytes are looked at one by one, whether or not an instruction begins there: what
 * is no jump then only costs that an instruction is taken for the start of a block.
 */
import { SegmentFlag, SegmentType } from '../../../binary/elf/constants.ts';
import type { ElfFile } from '../../../binary/elf/elf-file.ts';
import { imageAddress } from '../../../binary/image-address.ts';

const JUMP = 0xe9;
const TWO_BYTES = 0x0f;
const isCondition = (opcode: number): boolean => (opcode & 0xf0) === 0x80;
const DISTANCE = 4;

export interface JumpTargets {
  has(address: number): boolean;
}

/** Only those with 32 bits of distance: what is nearer is in the same function. */
export function farJumpTargets(elf: ElfFile): JumpTargets {
  const targets = new Set<number>();
  for (const { type, flags, address, sizeInFile } of elf.segments) {
    const isCode = type === SegmentType.load && (flags & SegmentFlag.execute) !== 0;
    const bytes = isCode ? elf.findImageBytes(imageAddress(address), sizeInFile) : undefined;
    if (bytes !== undefined) addTargets(bytes, address, targets);
  }
  return targets;
}

function addTargets(bytes: Uint8Array, start: number, targets: Set<number>): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = start + bytes.length;
  for (let at = 0; at + 2 + DISTANCE <= bytes.length; at++) {
    const first = bytes[at]!;
    const opcodes = first === JUMP ? 1 : first === TWO_BYTES && isCondition(bytes[at + 1]!) ? 2 : 0;
    if (opcodes === 0) continue;
    const next = at + opcodes + DISTANCE;
    const target = start + next + view.getInt32(at + opcodes, true);
    if (target >= start && target < end) targets.add(target);
  }
}
