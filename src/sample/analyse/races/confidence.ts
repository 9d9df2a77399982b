/**
 * How sure a race is, by what was seen of it:
 *
 *   high     each side was sampled three times or more, the memory changed hands eight times or more between
 *            samples, two accesses that nothing orders were no more than 20 ms apart, and one side came after the
 *            other without having taken a lock in between, by which it could have been handed over (quiet-pairs.ts)
 *   medium   each side was sampled twice or more, and two accesses were no more than a second apart
 *   low      all others; also those whose sides were only seen in different runs, and those with an atomic side,
 *            since what is beside it may be meant to be atomic, too
 */
import type { Confidence } from '../../../report/model.ts';
import { type FoundPair, samplesOf } from './found-pairs.ts';

const MILLISECOND = 1e6;

export function confidenceOf(pair: FoundPair, isAtomicSide: boolean): Confidence {
  const samples = Math.min(...pair.sides.map(samplesOf));
  if (pair.isAcrossRuns || isAtomicSide) return 'low';
  if (isOften(pair) && pair.isQuiet) return 'high';
  return samples >= 2 && pair.nearest <= 1000 * MILLISECOND ? 'medium' : 'low';
}

/** So often that nothing but locks that nobody knows of can have put them in order. */
const isOften = (pair: FoundPair): boolean =>
  Math.min(...pair.sides.map(samplesOf)) >= 3 &&
  pair.changes >= 8 &&
  pair.nearest <= 20 * MILLISECOND;

const HANDED_OVER =
  ', but each time a lock had been taken in between, by which it may have been handed over';

/** For people. */
export function whyOf(pair: FoundPair, confidence: Confidence, isAtomicSide: boolean): string {
  if (pair.isAcrossRuns) return `${confidence}, since its sides were seen in different runs only`;
  if (isAtomicSide)
    return `${confidence}, since one side is atomic, and the other may be meant to be`;
  const samples = Math.min(...pair.sides.map(samplesOf));
  const times = samples === 1 ? 'once' : `${samples} times`;
  const perhaps = isOften(pair) && !pair.isQuiet ? HANDED_OVER : '';
  return `${confidence}: each side was sampled ${times} or more, ${distanceText(pair.nearest)}${perhaps}`;
}

function distanceText(nanoseconds: number): string {
  if (nanoseconds === 0) return 'in between accesses of the other';
  const [unit, size] =
    nanoseconds < 1e3
      ? ['ns', 1]
      : nanoseconds < 1e6
        ? ['µs', 1e3]
        : nanoseconds < 1e9
          ? ['ms', 1e6]
          : ['s', 1e9];
  return `the nearest two ${Math.round(nanoseconds / Number(size))} ${unit} apart`;
}
