/**
 * How values of a type lie in memory, as far as it takes to say what is at an offset of a variable: sizes,
 * members, elements, and what is atomic.
 *
 *   struct { _Atomic int head; char name[12]; }
 *   → { kind: 'record', size: 16, members: [head at 0, name at 4] }, where head's type is
 *     { kind: 'plain', size: 4, isAtomic: true } and name's { kind: 'array', size: 12, count: 12, … }
 *
 * typedef, const and volatile are seen through. Of what is atomic the inside is of no interest.
 */

import { isAtomicInC, isAtomicRecord } from './atomic-names.ts';
import type { Entry } from './entry.ts';
import { EntryCursor } from './entry-cursor.ts';
import type { EntryNames } from './entry-names.ts';
import { type Member, readMember } from './members.ts';
import { Attribute, Tag } from './numbers.ts';
import type { Units } from './units.ts';

export type Type =
  | { readonly kind: 'plain'; readonly size: number; readonly isAtomic: boolean }
  | { readonly kind: 'record'; readonly size: number; readonly members: readonly Member[] }
  | {
      readonly kind: 'array';
      readonly size: number;
      readonly count: number;
      readonly element: Type;
    };

const UNKNOWN: Type = { kind: 'plain', size: 0, isAtomic: false };
const POINTER_SIZE = 8;
/** Deeper is a loop: arrays of arrays, types of types. */
const DEEPEST = 64;
/** No image has more; what claims to be larger is damaged. */
const LARGEST = 2 ** 47;

export class Types {
  readonly #units: Units;
  readonly #names: EntryNames;
  readonly #known = new Map<number, Type>();

  constructor(units: Units, names: EntryNames) {
    this.#units = units;
    this.#names = names;
  }

  /** The type that is described at this offset of .debug_info. */
  at(offset: number | undefined, depth = 0): Type {
    if (offset === undefined || depth > DEEPEST) return UNKNOWN;
    const known = this.#known.get(offset);
    if (known) return known;
    const entry = this.#units.entryAt(offset);
    const type = entry ? this.#read(entry, depth) : UNKNOWN;
    this.#known.set(offset, type);
    return type;
  }

  #read(entry: Entry, depth: number): Type {
    const inner = (): Type => this.at(entry.reference(Attribute.type), depth + 1);
    const size = sizeIn(entry);
    switch (entry.tag) {
      case Tag.atomicType:
        return { kind: 'plain', size: size ?? inner().size, isAtomic: true };
      case Tag.typedef:
        return asNamed(entry.text(Attribute.name), inner());
      case Tag.constType:
      case Tag.volatileType:
      case Tag.restrictType:
      case Tag.sharedType:
      case Tag.immutableType:
        return inner();
      case Tag.structureType:
      case Tag.classType:
      case Tag.unionType:
      case Tag.interfaceType:
        return this.#readRecord(entry, size ?? 0, depth);
      case Tag.arrayType:
        return arrayOf(inner(), countsOf(entry), size);
      case Tag.enumerationType:
        return { kind: 'plain', size: size ?? inner().size, isAtomic: false };
      case Tag.pointerType:
      case Tag.referenceType:
      case Tag.rvalueReferenceType:
      case Tag.pointerToMemberType:
        return { kind: 'plain', size: size ?? POINTER_SIZE, isAtomic: false };
      default:
        return asNamed(entry.text(Attribute.name), { ...UNKNOWN, size: size ?? 0 });
    }
  }

  #readRecord(entry: Entry, size: number, depth: number): Type {
    // It is described in a unit of its own.
    const elsewhere = entry.reference(Attribute.signature);
    if (elsewhere !== undefined) return this.at(elsewhere, depth + 1);
    const name = this.#names.nameOf(entry);
    if (name !== undefined && isAtomicRecord(name)) return { kind: 'plain', size, isAtomic: true };
    return { kind: 'record', size, members: childrenOf(entry, readMember) };
  }
}

const asNamed = (name: string | undefined, type: Type): Type =>
  name !== undefined && isAtomicInC(name)
    ? { kind: 'plain', size: type.size, isAtomic: true }
    : type;

const sizeIn = (entry: Entry): number | undefined => {
  const size = entry.number(Attribute.byteSize);
  return size !== undefined && size >= 0 && size <= LARGEST ? size : undefined;
};

/** What `read` makes of each child, without those of which it makes nothing. */
function childrenOf<T>(entry: Entry, read: (child: Entry) => T | undefined): T[] {
  const found: T[] = [];
  const cursor = new EntryCursor(entry.unit, entry.offset);
  cursor.next();
  while (cursor.next()) {
    const one = read(cursor.entry());
    if (one !== undefined) found.push(one);
    cursor.skipChildren();
  }
  return found;
}

/** The dimensions, outermost first. */
const countsOf = (array: Entry): number[] =>
  childrenOf(array, (child) => {
    if (child.tag !== Tag.subrangeType) return undefined;
    const count = child.number(Attribute.count);
    const last = child.number(Attribute.upperBound);
    // Neither is known of `int a[]`; gcc says -1 for the last of `int a[0]`.
    return count ?? (last === undefined ? 0 : last + 1);
  });

function arrayOf(innermost: Type, counts: readonly number[], size: number | undefined): Type {
  let type = innermost;
  for (const count of counts.slice(-DEEPEST).toReversed()) {
    const total = type.size * count;
    const isSensible = Number.isInteger(count) && count >= 0 && total <= LARGEST;
    type = { kind: 'array', size: isSensible ? total : 0, count, element: type };
  }
  return counts.length > 0 && size !== undefined ? { ...type, size } : type;
}
