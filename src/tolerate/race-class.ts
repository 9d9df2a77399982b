/**
 * What happens when a thread without the lock comes between two accesses of one that has it (ToleRace, theorem 1
 * and table 1). Upper case is the thread with the lock, lower case the one without:
 *
 *   I     X w R       what is read is not what was there before, or what was written oneself
 *   II    W r W       the other sees a value that never was meant to be seen
 *   III   R w W       the other's value is overwritten by one that hangs on what was there before it
 *   IVa   R rw R      as I, by an update
 *   IVb   W rw X      the other updates a value that was never meant to be seen
 *   IVc   R rw W      both update the same value, and one update is lost: the rest of class IV
 */
import { type AccessShape, isReadingFirst, isWriting } from './access-shapes.ts';

export type RaceClass = 'I' | 'II' | 'III' | 'IVa' | 'IVb' | 'IVc';

export const RACE_CLASSES: readonly RaceClass[] = ['I', 'II', 'III', 'IVa', 'IVb', 'IVc'];

/** `before` and `after`: what the thread with the lock does; `between`: the other. undefined: no race. */
export function raceClass(
  before: AccessShape,
  between: AccessShape,
  after: AccessShape,
): RaceClass | undefined {
  switch (between) {
    case 'r+':
      return isWriting(before) && isWriting(after) ? 'II' : undefined;
    case 'wx*':
      if (isReadingFirst(after)) return 'I';
      return isReadingFirst(before) ? 'III' : undefined;
    case 'r+wx*':
      if (before === 'wx*') return 'IVb';
      return before === 'r+' && after === 'r+' ? 'IVa' : 'IVc';
  }
}
