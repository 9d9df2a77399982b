/** Numbers in the parts of an image that nobody changes: where jump tables are. */
import type { ConstantData } from '../code/computed-jumps.ts';
import { SectionFlag } from '../elf/constants.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { imageAddress } from '../image-address.ts';

export function constantData(elf: ElfFile): ConstantData {
  const areas = elf.sections.filter(
    ({ name, flags }) =>
      (flags & SectionFlag.alloc) !== 0 &&
      (name.startsWith('.rodata') || name.startsWith('.data.rel.ro')),
  );
  const bytesAt = (address: number, length: number): Buffer | undefined => {
    const isConstant = areas.some(
      (area) => address >= area.address && address + length <= area.address + area.size,
    );
    const bytes = isConstant ? elf.findImageBytes(imageAddress(address), length) : undefined;
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };
  return {
    i32: (address) => bytesAt(address, 4)?.readInt32LE(),
    u64: (address) => {
      const value = bytesAt(address, 8)?.readBigUInt64LE();
      return value !== undefined && value < 2n ** 53n ? Number(value) : undefined;
    },
  };
}
