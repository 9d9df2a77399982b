/**
 * The sides of a race have a letter each, in the order in which they happened, and keep it, with a shape and a
 * colour, wherever they are shown: A is a circle, B a square, C a diamond.
 */
import type { Access, Race } from '../src/report/model.ts';

export const LETTERS = ['A', 'B', 'C'] as const;

export interface Side {
  readonly letter: string;
  readonly index: number;
  readonly access: Access;
}

/** The report tells the later one first. */
export const sidesOf = ({ accesses }: Race): Side[] =>
  accesses.toReversed().map((access, index) => ({ letter: LETTERS[index] ?? '?', index, access }));

export function Letter({ index }: { index: number }) {
  const letter = LETTERS[index] ?? '?';
  return (
    <span class={`letter letter-${letter}`} role="img" aria-label={`side ${letter}`}>
      <span aria-hidden="true">{letter}</span>
    </span>
  );
}
