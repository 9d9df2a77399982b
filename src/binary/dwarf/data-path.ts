/**
 * What is at an offset of a variable, as one would write it in the source behind the variable's name:
 *
 *   queue + 8    '.head'
 *   jobs + 100   '[3].state'
 *   event + 4    '.(number|text)'     members of a union, or bit fields that share the byte
 *   queue + 12   ''                   nothing that has a name: padding
 */
import type { Member } from './members.ts';
import type { Type, Types } from './types.ts';

/** Deeper is a structure that holds itself, in a damaged file. */
const DEEPEST = 64;

export function dataPath(types: Types, type: Type, offset: number): string {
  let path = '';
  let inner = type;
  let left = offset;
  for (let depth = 0; depth < DEEPEST && inner.kind !== 'plain'; depth++) {
    if (inner.kind === 'array') {
      const { element, count } = inner;
      const index = Math.floor(left / element.size);
      if (!(index < count)) break;
      path += `[${index}]`;
      left -= index * element.size;
      inner = element;
      continue;
    }
    const here = inner.members.filter((member) => covers(types, member, left));
    if (here.length > 1) return `${path}.(${namesOf(here)})`;
    const [member] = here;
    if (!member) break;
    if (member.name !== undefined) path += `.${member.name}`;
    left -= member.offset;
    inner = types.at(member.type);
  }
  return path;
}

function covers(types: Types, member: Member, offset: number): boolean {
  const type = types.at(member.type);
  const end = member.offset + (member.size ?? type.size);
  return offset >= member.offset && offset < end && !(member.isBase && isEmpty(types, type));
}

const known = new WeakMap<Type, boolean>();

/** Classes without members have a size of 1, which as a base they share with what follows. */
function isEmpty(types: Types, type: Type, depth = 0): boolean {
  if (type.kind !== 'record' || depth > DEEPEST) return false;
  const answer = known.get(type);
  if (answer !== undefined) return answer;
  // For a class that is its own base, in a damaged file.
  known.set(type, false);
  const isNothing = type.members.every(
    (member) => member.isBase && isEmpty(types, types.at(member.type), depth + 1),
  );
  known.set(type, isNothing);
  return isNothing;
}

const namesOf = (members: readonly Member[]): string =>
  members.map(({ name }) => name ?? '…').join('|');
