/**
 * How a program calls functions by name: through slots of its global offset table, which the loader
 * fills, and through stubs of the procedure linkage table, which jump to what is in a slot.
 *
 *   call 0x1030               a stub (.plt, .plt.sec or .plt.got):
 *   1030: jmp *0x2fe2(%rip)     ff 25 e2 2f 00 00, so by way of slot 0x4018
 *   slot 0x4018                 relocation R_X86_64_JUMP_SLOT: `puts`
 *
 *   call *0x2fda(%rip)        the slot itself, as with -fno-plt
 *
 * A name may also be that of a function in this file, which another library could replace.
 */
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { RelocationType, SectionFlag, SegmentFlag, SegmentType } from './constants.ts';
import type { ElfFile } from './elf-file.ts';
import { readRelocations } from './relocations.ts';
import { dynamicSymbols } from './symbols.ts';

export interface Imports {
  /** By the slot's address. */
  slots: ReadonlyMap<ImageAddress, string>;
  /** By the stub's address. */
  stubs: ReadonlyMap<ImageAddress, string>;
}

/** Stubs start at multiples of this, from the start of their section. */
const STUB_STEP = 8;
const STUB_SECTIONS = ['.plt', '.plt.sec', '.plt.got'];

export function readImports(elf: ElfFile): Imports {
  const slots = readSlots(elf);
  const stubs = new Map<ImageAddress, string>();
  for (const { address, bytes } of stubCode(elf)) {
    for (let at = 0; at < bytes.length; at += STUB_STEP) {
      const stub = imageAddress(address + at);
      const slot = slotOfStub(bytes, at, stub);
      const name = slot === undefined ? undefined : slots.get(slot);
      if (name !== undefined) stubs.set(stub, name);
    }
  }
  return { slots, stubs };
}

function readSlots(elf: ElfFile): Map<ImageAddress, string> {
  const slots = new Map<ImageAddress, string>();
  const symbols = dynamicSymbols(elf);
  if (symbols === undefined) return slots;
  for (const { place, type, symbol } of readRelocations(elf)) {
    const isSlot = type === RelocationType.jumpSlot || type === RelocationType.globalData;
    if (isSlot && symbol !== 0) slots.set(place, symbols.name(symbol));
  }
  return slots;
}

/** Without section headers any code may be stubs; only those that jump to a slot's function count. */
function stubCode(elf: ElfFile): { address: ImageAddress; bytes: Uint8Array }[] {
  if (elf.isDebugFile) return [];
  if (elf.sections.length === 0) {
    return elf.segments
      .filter(({ type, flags }) => type === SegmentType.load && flags & SegmentFlag.execute)
      .map(({ address, sizeInFile }) => ({
        address,
        bytes: elf.imageBytesAt(address, sizeInFile),
      }));
  }
  return elf.sections
    .filter(({ name, flags }) => STUB_SECTIONS.includes(name) && flags & SectionFlag.execute)
    .map((section) => ({ address: section.address, bytes: elf.contentOf(section) }));
}

/** `endbr64` and `bnd` may stand before the jump. */
function slotOfStub(bytes: Uint8Array, at: number, stub: ImageAddress): ImageAddress | undefined {
  let next = at;
  const hasEndbr =
    bytes[at] === 0xf3 &&
    bytes[at + 1] === 0x0f &&
    bytes[at + 2] === 0x1e &&
    bytes[at + 3] === 0xfa;
  if (hasEndbr) next += 4;
  if (bytes[next] === 0xf2) next++;
  if (bytes[next] !== 0xff || bytes[next + 1] !== 0x25 || next + 6 > bytes.length) return undefined;
  const displacement =
    bytes[next + 2]! |
    (bytes[next + 3]! << 8) |
    (bytes[next + 4]! << 16) |
    (bytes[next + 5]! << 24);
  return imageAddress(stub + (next - at) + 6 + displacement);
}
