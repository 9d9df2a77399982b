/**
 * A thread without the lock touches two variables, P and then Q, both of which the section has private copies
 * of (ToleRace, theorem 3 and table 3). Each is resolved for itself, so what it did to P may seem to have come
 * after the section, and what it did to Q before it:
 *
 *   section   reads P, sets Q
 *   other     P = 1; Q = Q + P       P seems to have been set after the section, Q, which hangs on it, before it
 *
 * Nobody minds if the two have nothing to do with each other; if a write to Q may hang on P, it is told instead.
 */
import { type AccessShape, isWriting } from './access-shapes.ts';
import { resolutionOf } from './oracle.ts';
import type { RaceClass } from './race-class.ts';

/** What the other thread does to a variable, and which race that is, if it is one. */
export interface Intervention {
  readonly shape: AccessShape;
  readonly race: RaceClass | undefined;
}

/** When it seems to have been, relative to the section. */
export function seemingOrder({ shape, race }: Intervention): 'before' | 'after' | 'unexplained' {
  switch (shape) {
    case 'r+':
      return 'before';
    case 'wx*':
      return 'after';
    case 'r+wx*': {
      const resolution = race && resolutionOf(race);
      if (resolution === 'none' || resolution === undefined) return 'unexplained';
      return resolution === 'own' ? 'before' : 'after';
    }
  }
}

export const isReordered = (p: Intervention, q: Intervention): boolean =>
  seemingOrder(p) === 'after' && seemingOrder(q) === 'before';

/** Whether something of Q may hang on P: what is written to it, since P may have been read in each shape. */
export const mayHangOnP = (q: AccessShape): boolean => isWriting(q);

export const actionOn = (p: Intervention, q: Intervention): 'tolerate' | 'detect' =>
  isReordered(p, q) && mayHangOnP(q.shape) ? 'detect' : 'tolerate';
