/**
 * The bytes of a type that are atomic, as ranges in the order of their offsets:
 *
 *   struct { _Atomic int head, tail; char name[8]; std::atomic<long> count; }   → 0…8, 16…24
 *
 * Of a union, bytes are atomic that are so in one of its members: who puts an atomic there means it.
 */
import type { AddressRange } from './addresses.ts';
import type { Member } from './members.ts';
import type { Type, Types } from './types.ts';

/** Of one type; what is beyond is not atomic. A static array of a million structures has as many. */
const MOST_PARTS = 2 ** 20;
/** Of structures within structures; nobody writes as many, and each takes some of the stack. */
const DEEPEST = 100;

export class AtomicParts {
  readonly #types: Types;
  readonly #known = new Map<Type, readonly AddressRange[]>();

  constructor(types: Types) {
    this.#types = types;
  }

  /** By offsets from the beginning of the type. */
  of(type: Type, depth = 0): readonly AddressRange[] {
    const known = this.#known.get(type);
    if (known) return known;
    if (depth > DEEPEST) return [];
    // A structure cannot hold itself; if a damaged file says so, it holds nothing there.
    this.#known.set(type, []);
    const parts = this.#find(type, depth + 1);
    this.#known.set(type, parts);
    return parts;
  }

  #find(type: Type, depth: number): readonly AddressRange[] {
    switch (type.kind) {
      case 'plain':
        return type.isAtomic && type.size > 0 ? [{ low: 0, high: type.size }] : [];
      case 'record':
        return joined(this.#ofMembers(type.members, depth));
      case 'array':
        return repeated(this.of(type.element, depth), type.element.size, type.count);
    }
  }

  #ofMembers(members: readonly Member[], depth: number): AddressRange[] {
    const parts: AddressRange[] = [];
    for (const { type, offset } of members) {
      if (parts.length >= MOST_PARTS) break;
      for (const { low, high } of this.of(this.#types.at(type), depth))
        parts.push({ low: offset + low, high: offset + high });
    }
    return parts;
  }
}

function repeated(parts: readonly AddressRange[], size: number, count: number): AddressRange[] {
  if (parts.length === 0) return [];
  const [first] = parts;
  if (first!.low === 0 && first!.high === size) return [{ low: 0, high: size * count }];
  const all: AddressRange[] = [];
  for (let i = 0; i < count && all.length < MOST_PARTS; i++)
    for (const { low, high } of parts) all.push({ low: i * size + low, high: i * size + high });
  return all;
}

/** In order, and those that touch as one. */
function joined(parts: readonly AddressRange[]): AddressRange[] {
  const result: AddressRange[] = [];
  for (const part of parts.toSorted((a, b) => a.low - b.low)) {
    const last = result.at(-1);
    if (last && part.low <= last.high)
      result[result.length - 1] = { low: last.low, high: Math.max(last.high, part.high) };
    else result.push(part);
  }
  return result;
}
