/** A side keeps its letter, with a shape and a colour, wherever it is shown: A is a circle, B a square, C a diamond. */
import { LETTERS } from '../src/report/both-orders.ts';

export function Letter({ index }: { index: number }) {
  const letter = LETTERS[index] ?? '?';
  return (
    <span class={`letter letter-${letter}`} role="img" aria-label={`side ${letter}`}>
      <span aria-hidden="true">{letter}</span>
    </span>
  );
}
