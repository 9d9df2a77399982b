/**
 * Words by which two functions hand something over to each other: one stores the word after its access, and the other
 * loads it before its own. A queue for one producer and one consumer has such words on both sides:
 *
 *   producer   while (head - tail >= SIZE);   ring[head % SIZE] = item;   head = head + 1;
 *   consumer   while (tail == head);          item = ring[tail % SIZE];   tail = tail + 1;
 *
 * On x86 atomic loads and stores are plain ones: only variables that are atomic by their type, as debug information has
 * it, count, and only those with an address of their own. A structure's member that is reached by a pointer is not seen.
 */
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import { NO_REGISTER } from '../../../binary/code/general-registers.ts';
import { waysOf } from './nearest-on-ways.ts';

export interface AccessInCode {
  readonly code: FunctionCode;
  /** Of the access, in the function's instructions. */
  readonly place: number;
}

/** @param isAtomic whether the variable at an address is atomic by its type. */
export function isHandedOver(
  one: AccessInCode,
  other: AccessInCode,
  isAtomic: (address: number) => boolean,
): boolean {
  const leads = (from: AccessInCode, to: AccessInCode): boolean => {
    const loaded = wordsAround(to, 'before', isAtomic);
    // Whoever stores it as well is no consumer: two producers do race.
    const own = wordsAround(to, 'after', isAtomic);
    return [...wordsAround(from, 'after', isAtomic)].some(
      (word) => loaded.has(word) && !own.has(word),
    );
  };
  return leads(one, other) && leads(other, one);
}

/** Those that are stored after the access, or loaded before it. */
function wordsAround(
  { code, place }: AccessInCode,
  side: 'before' | 'after',
  isAtomic: (address: number) => boolean,
): Set<number> {
  const words = new Set<number>();
  const next = waysOf(code)[side];
  const seen = new Set<number>();
  const left = [...next[place]!];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    left.push(...next[at]!);
    for (const { base, index, displacement, isRead, isWritten } of code.instructions[at]!.memory) {
      const isAbout = side === 'after' ? isWritten : isRead;
      if (!isAbout || base !== NO_REGISTER || index !== NO_REGISTER) continue;
      if (isAtomic(displacement)) words.add(displacement);
    }
  }
  return words;
}
