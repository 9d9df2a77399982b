/**
 * The addresses that an entry (a unit, a function, an inlined call) covers: from DW_AT_low_pc to
 * DW_AT_high_pc, or a list of ranges, as functions have whose unlikely parts were moved away, and calls
 * that were inlined and then mixed with the code around.
 *
 * DWARF 4 has lists of pairs in .debug_ranges, which count from a base; DWARF 5 has .debug_rnglists with
 * eight kinds of entries. What the linker dropped is left out (see addresses.ts).
 */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary, hex } from '../byte-reader.ts';
import { indexedAddress } from './address-table.ts';
import { type AddressRange, ALL_ONES, isInImage, readAddress } from './addresses.ts';
import { readOffset } from './encoding.ts';
import type { Entry } from './entry.ts';
import { Attribute, RangeEntry } from './numbers.ts';
import { sectionReader } from './section-reader.ts';
import type { Unit } from './unit.ts';

export function rangesOf(entry: Entry): AddressRange[] {
  const index = entry.rangeListIndex(Attribute.ranges);
  if (index !== undefined) return indexedList(entry.unit, index);
  const at = entry.sectionOffset(Attribute.ranges);
  if (at !== undefined) return listAt(entry.unit, at);
  const low = entry.address(Attribute.lowPc);
  if (low === undefined) return [];
  // An address at first, then a length, since that needs no relocation.
  const length = entry.number(Attribute.highPc);
  const high = length === undefined ? entry.address(Attribute.highPc) : low + length;
  return high !== undefined && isInImage(low, high) ? [{ low, high }] : [];
}

function indexedList(unit: Unit, index: number): AddressRange[] {
  const { offsetSize } = unit.header.encoding;
  const base = unit.rangeListsBase;
  const offsets = sectionReader(unit.sections, 'debugRnglists', base + index * offsetSize);
  return offsets ? listAt(unit, base + readOffset(offsets, offsetSize)) : [];
}

function listAt(unit: Unit, at: number): AddressRange[] {
  const isNew = unit.header.encoding.version >= 5;
  const reader = sectionReader(unit.sections, isNew ? 'debugRnglists' : 'debugRanges', at);
  if (!reader) return [];
  const list: AddressRange[] = [];
  const add = (low: number, high: number): void => {
    if (isInImage(low, high)) list.push({ low, high });
  };
  const base = unit.root.address(Attribute.lowPc) ?? 0;
  if (isNew) readList(unit, reader, base, add);
  else readPairs(reader, unit.header.encoding.addressSize, base, add);
  return list;
}

type Add = (low: number, high: number) => void;

function readPairs(reader: ByteReader, addressSize: number, unitBase: number, add: Add): void {
  let base = unitBase;
  for (;;) {
    const low = readAddress(reader, addressSize);
    const high = readAddress(reader, addressSize);
    if (low === 0 && high === 0) return;
    if (low === ALL_ONES) base = high;
    else add(base + low, base + high);
  }
}

function readList(unit: Unit, reader: ByteReader, unitBase: number, add: Add): void {
  const { addressSize } = unit.header.encoding;
  const address = (): number => readAddress(reader, addressSize);
  const indexed = (): number => indexedAddress(unit, reader.uleb());
  let base = unitBase;
  for (;;) {
    const at = reader.at;
    const kind = reader.u8();
    switch (kind) {
      case RangeEntry.endOfList:
        return;
      case RangeEntry.baseAddressx:
        base = indexed();
        break;
      case RangeEntry.startxEndx:
        add(indexed(), indexed());
        break;
      case RangeEntry.startxLength: {
        const low = indexed();
        add(low, low + reader.uleb());
        break;
      }
      case RangeEntry.offsetPair: {
        const low = base + reader.uleb();
        add(low, base + reader.uleb());
        break;
      }
      case RangeEntry.baseAddress:
        base = address();
        break;
      case RangeEntry.startEnd:
        add(address(), address());
        break;
      case RangeEntry.startLength: {
        const low = address();
        add(low, low + reader.uleb());
        break;
      }
      default:
        throw new BadBinary(`the range list at ${hex(at)} of .debug_rnglists has a kind ${kind}`);
    }
  }
}
