/**
 * String functions read whole words or vectors, also behind the end of their string, and forget what they find there:
 *
 *   struct { char name[8]; int hits; } s = {"abc"};
 *   strlen(s.name)  reads 32 bytes at once, `hits` with them   ‖   s.hits++
 *
 * That is none of the program's doing, and changes nothing for it. It is seen by what the load has touched: if there is a
 * NUL in it before the bytes that both sides touch, these are behind the string. This is wrong if the load begins before
 * its string, and finds the end of another one; and where several vectors are loaded before the first one is looked at,
 * the others are not known to be behind the end.
 */
import { looksForNul } from '../binary/code/string-search.ts';
import { type CaughtRace, type CaughtSide, sharedBytes } from './caught.ts';
import type { DebugTarget } from './debug-target.ts';
import type { PlacedInstruction } from './watched-code.ts';

export const READS_PAST_ITS_STRING =
  'a string function reads many bytes at once, and these are behind the end of its string';

const WORD = 8;
const VECTOR = 16;

/** While both stand. */
export async function readsPastItsString(
  target: Pick<DebugTarget, 'read'>,
  race: CaughtRace,
): Promise<boolean> {
  const { address } = sharedBytes(race);
  for (const side of [race.held, race.other]) {
    if (side === undefined || !isStringLoad(side)) continue;
    const { touched, runner } = side;
    const before = Number(address - touched.address);
    if (before <= 0) continue;
    const bytes = await target.read(touched.address, before, runner);
    if (bytes.includes(0)) return true;
  }
  return false;
}

function isStringLoad(
  side: CaughtSide,
): side is CaughtSide & { touched: NonNullable<CaughtSide['touched']> } {
  const { place, touched, isStore } = side;
  if (place === undefined || touched === undefined || isStore) return false;
  if (touched.size >= WORD && NAMES.test(place.inside.place.name)) return true;
  return touched.size >= VECTOR && isOfLibrary(place) && looksForNul(place.inside.instructions);
}

/** `strlen`, `__strlen_avx2`, … */
const NAMES =
  /^_*(strn?len|strchr(nul)?|strrchr|strn?(case)?cmp|strn?cpy|stpn?cpy|strn?cat|strl(cpy|cat)|strc?spn|strpbrk|strstr)(_\w+)?$/;

const isOfLibrary = ({ inside }: PlacedInstruction): boolean =>
  /^(libc[.-]|ld-|ld\.)/.test(inside.place.module);
