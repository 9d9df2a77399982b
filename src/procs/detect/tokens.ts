/**
 * Streams that are used as a box of tokens, such as make's job server: every message is one byte, and
 * it does not matter who gets which.
 */
import type { Access, DetectedRace } from './race.ts';

export function ifTokens(sides: readonly Access[]): Pick<DetectedRace, 'withoutConsequence'> {
  const areTokens = sides.every(
    ({ step: { record } }) => record.kind === 'call' && record.result === 1,
  );
  return areTokens ? { withoutConsequence: 'single bytes are exchanged, as tokens are' } : {};
}
