/** .debug_addr: addresses that entries name by an index, so that a linker has fewer places to mend. */
import { BadBinary } from '../byte-reader.ts';
import { readAddress } from './addresses.ts';
import { sectionReader } from './section-reader.ts';
import type { Unit } from './unit.ts';

export function indexedAddress(unit: Unit, index: number): number {
  const { addressSize } = unit.header.encoding;
  const reader = sectionReader(unit.sections, 'debugAddr', unit.addressBase + index * addressSize);
  if (!reader) throw new BadBinary('an address is to be found in .debug_addr, which is not there');
  return readAddress(reader, addressSize);
}
