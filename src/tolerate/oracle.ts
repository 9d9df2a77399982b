/**
 * What a variable is set to when the thread with the lock lets go of it, so that it comes out as if one thread
 * had gone before the other (ToleRace, table 2). There are three values by then:
 *
 *   original   what memory had when the section first touched it     V''
 *   own        what the section made of its private copy             V'
 *   current    what memory has now, which others may have changed    V
 *
 *   total is 5; the section reads it; somebody sets it to 9; the section sets its copy to 6
 *     class III, if that 9 does not hang on the 5: memory keeps 9, as if the section had come first
 *     class IVc, if it may: 5 was read by both, and no order of the two explains that
 */
import type { RaceClass } from './race-class.ts';

/** Which value the variable gets; `none`: whatever it gets, no order explains it. */
export type Resolution = 'own' | 'current' | 'none';

/** Who seems to have gone first. */
export type SerialOrder = 'section first' | 'other first';

export function resolutionOf(race: RaceClass): Resolution {
  switch (race) {
    case 'I':
    case 'III':
    case 'IVa':
      return 'current';
    case 'II':
    case 'IVb':
      return 'own';
    case 'IVc':
      return 'none';
  }
}

export function orderAfter(resolution: Exclude<Resolution, 'none'>): SerialOrder {
  return resolution === 'current' ? 'section first' : 'other first';
}

/** What is known at the end of a section of one variable. */
export interface KnownAtExit {
  /** The section's first access was a read. */
  readonly readsFirst: boolean;
  readonly writes: boolean;
  /** Current is not original. */
  readonly isChanged: boolean;
  /** Whether the other's write may hang on what the other has read. */
  readonly mayDepend: boolean;
}

export interface ExitResolution {
  /** What memory is to have; `current` needs no write. */
  readonly value: 'own' | 'current';
  /** What it may have been, if something has happened that can be seen. */
  readonly races: readonly RaceClass[];
  readonly isTolerated: boolean;
}

/**
 * The same with what there is to be known then: how the other came to its value is not. Where own value and
 * current one would both be wrong, memory keeps the current one, as in class III, which it may have been.
 */
export function resolveAtExit(known: KnownAtExit): ExitResolution {
  const { readsFirst, writes, isChanged, mayDepend } = known;
  if (!isChanged) return { value: writes ? 'own' : 'current', races: [], isTolerated: true };
  const races = racesSeenAtExit(known);
  // A section that sets the variable first may always come last: nobody but it has read what it wrote. But whoever
  // writes blindly comes after sections, whatever these do, so that what is done to several variables stays in order.
  const value = writes && !readsFirst && mayDepend ? 'own' : 'current';
  return { value, races, isTolerated: areTolerableAtExit(known) };
}

/** Whether some value is right whichever of the possible races it was. */
export function areTolerableAtExit({
  readsFirst,
  writes,
  isChanged,
  mayDepend,
}: KnownAtExit): boolean {
  return !(isChanged && readsFirst && writes && mayDepend);
}

function racesSeenAtExit({ readsFirst, writes, mayDepend }: KnownAtExit): RaceClass[] {
  if (!writes) return mayDepend ? ['I', 'IVa'] : ['I'];
  if (!readsFirst) return mayDepend ? ['I', 'IVb'] : ['I'];
  return mayDepend ? ['I', 'III', 'IVc'] : ['I', 'III'];
}
