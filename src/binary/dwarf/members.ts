/**
 * The members of a structure, and the bases of a class, which are members without a name:
 *
 *   struct Job : Link { int id; unsigned isReady : 1, isDone : 1; }
 *   → [{ name: undefined, offset: 0 … }, { name: 'id', offset: 16 … }, { name: 'isReady', offset: 20, size: 1 … }, …]
 */
import type { Entry } from './entry.ts';
import { Attribute, Operation, Tag } from './numbers.ts';

export interface Member {
  /** Undefined for bases, and for structures and unions that have no name: their members count as its own. */
  readonly name: string | undefined;
  readonly isBase: boolean;
  readonly offset: number;
  /** Where its type is described. */
  readonly type: number | undefined;
  /** Of a bit field: the bytes that it has a part of. Others are as large as their type. */
  readonly size: number | undefined;
}

/** Undefined if the child is something else (a method, a type), or a static member, which is elsewhere. */
export function readMember(child: Entry): Member | undefined {
  const isBase = child.tag === Tag.inheritance;
  if (!isBase && (child.tag !== Tag.member || child.isTrue(Attribute.external))) return undefined;
  const place = bitField(child) ?? { offset: offsetOf(child), size: undefined };
  // A virtual base, whose place is computed.
  if (place.offset === undefined) return undefined;
  return {
    name: isBase ? undefined : child.text(Attribute.name),
    isBase,
    offset: place.offset,
    type: child.reference(Attribute.type),
    size: place.size,
  };
}

/** A number, in DWARF 2 and 3 an expression that adds a number. Those of a union have none. */
function offsetOf(child: Entry): number | undefined {
  if (!child.has(Attribute.dataMemberLocation)) return 0;
  const number = child.number(Attribute.dataMemberLocation);
  if (number !== undefined) return number;
  const expression = child.block(Attribute.dataMemberLocation);
  if (!expression || expression.left === 0 || expression.u8() !== Operation.plusUconst)
    return undefined;
  const offset = expression.uleb();
  return expression.left === 0 ? offset : undefined;
}

function bitField(
  child: Entry,
): { offset: number | undefined; size: number | undefined } | undefined {
  const bits = child.number(Attribute.bitSize);
  if (bits === undefined) return undefined;
  const from = child.number(Attribute.dataBitOffset);
  if (from !== undefined) {
    const offset = Math.floor(from / 8);
    return { offset, size: Math.ceil((from + bits) / 8) - offset };
  }
  // DWARF 2 and 3: counted from the upper end of a unit of storage that has the size of the type.
  const unit = child.number(Attribute.byteSize);
  const start = offsetOf(child);
  const above = child.number(Attribute.bitOffset);
  if (unit === undefined || start === undefined || above === undefined)
    return { offset: start, size: unit };
  const low = unit * 8 - above - bits;
  const first = Math.floor(low / 8);
  return { offset: start + first, size: Math.ceil((low + bits) / 8) - first };
}
