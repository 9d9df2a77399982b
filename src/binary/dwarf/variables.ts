/**
 * The variables of a program that have a fixed address: global and static ones, also those of functions
 * and classes. Not those of a thread (`__thread`), which have an address in each.
 *
 *   DW_TAG_variable counter · DW_AT_type 0x2d · DW_AT_location (DW_OP_addr 0x4020)
 */
import type { ByteReader } from '../byte-reader.ts';
import { hasAttribute } from './abbreviations.ts';
import { indexedAddress } from './address-table.ts';
import { readAddress } from './addresses.ts';
import type { Entry } from './entry.ts';
import { EntryCursor } from './entry-cursor.ts';
import { Attribute, Operation, Tag } from './numbers.ts';
import type { Unit } from './unit.ts';

export interface PlacedEntry {
  readonly entry: Entry;
  readonly address: number;
}

export function readVariables(unit: Unit): PlacedEntry[] {
  const variables: PlacedEntry[] = [];
  const cursor = new EntryCursor(unit);
  while (cursor.next()) {
    if (cursor.tag !== Tag.variable) continue;
    if (!hasAttribute(cursor.abbreviation, Attribute.location)) continue;
    const entry = cursor.entry();
    const expression = entry.block(Attribute.location);
    const address = expression && fixedAddress(unit, expression);
    if (address !== undefined) variables.push({ entry, address });
  }
  return variables;
}

/** Undefined for what is in a register, on the stack, in a thread's own memory. */
function fixedAddress(unit: Unit, expression: ByteReader): number | undefined {
  if (expression.left === 0) return undefined;
  const operation = expression.u8();
  let address: number;
  if (operation === Operation.addr)
    address = readAddress(expression, unit.header.encoding.addressSize);
  else if (operation === Operation.addrx || operation === Operation.gnuAddrIndex)
    address = indexedAddress(unit, expression.uleb());
  else return undefined;
  if (expression.left === 0) return address;
  // A part of several variables that the compiler put together. Anything else is computed when it runs.
  if (expression.u8() !== Operation.plusUconst) return undefined;
  const sum = address + expression.uleb();
  return expression.left === 0 ? sum : undefined;
}
