/**
 * How a run of accesses of one thread to one variable looks to others (ToleRace, section 2). There are only
 * three ways:
 *
 *   r+       rrr     it only reads
 *   wx*      wrw     it sets the variable, whatever that was; what it reads later is its own
 *   r+wx*    rwr     it reads, and then sets the variable to what may hang on that
 */
export type Access = 'r' | 'w';

export type AccessShape = 'r+' | 'wx*' | 'r+wx*';

export const ACCESS_SHAPES: readonly AccessShape[] = ['r+', 'wx*', 'r+wx*'];

export function shapeOf(accesses: readonly Access[]): AccessShape | undefined {
  if (accesses.length === 0) return undefined;
  if (accesses[0] === 'w') return 'wx*';
  return accesses.includes('w') ? 'r+wx*' : 'r+';
}

export const isWriting = (shape: AccessShape): boolean => shape !== 'r+';

/** Whether what was there before is looked at. */
export const isReadingFirst = (shape: AccessShape): boolean => shape !== 'wx*';
