/**
 * How sure a race is, by what was seen of it:
 *
 *   high     each side was sampled three times or more, the memory changed hands eight times or more between
 *            samples, two accesses that nothing orders were no more than 20 ms apart, and one side came after the
 *            other without having taken a lock in between, by which it could have been handed over (quiet-pairs.ts);
 *            samples that were followed there do not count
 *   medium   each side was sampled twice or more, and two accesses were no more than a second apart
 *   low      all others
 *
 * and no surer than what there is to doubt of it allows (doubts.ts).
 */
import type { Confidence } from '../../../report/model.ts';
import type { Doubt } from './doubts.ts';
import { changesOf, type FoundPair, plannedSamplesOf, samplesOf } from './found-pairs.ts';

const MILLISECOND = 1e6;
const SUREST_LAST: readonly Confidence[] = ['low', 'medium', 'high'];

export function confidenceOf(pair: FoundPair, doubt: Doubt | undefined): Confidence {
  const seen = seenOf(pair);
  return isCapped(seen, doubt) ? doubt!.most : seen;
}

function seenOf(pair: FoundPair): Confidence {
  const samples = Math.min(...pair.sides.map(samplesOf));
  if (isOften(pair) && pair.isQuiet) return 'high';
  return samples >= 2 && pair.nearest <= 1000 * MILLISECOND ? 'medium' : 'low';
}

/** So often that nothing but locks that nobody knows of can have put them in order. */
const isOften = (pair: FoundPair): boolean =>
  Math.min(...pair.sides.map(plannedSamplesOf)) >= 3 &&
  changesOf(pair) >= 8 &&
  pair.nearest <= 20 * MILLISECOND;

const HANDED_OVER =
  ', but each time a lock had been taken in between, by which it may have been handed over';

const isCapped = (seen: Confidence, doubt: Doubt | undefined): boolean =>
  doubt !== undefined && SUREST_LAST.indexOf(doubt.most) <= SUREST_LAST.indexOf(seen);

/** For people. */
export function whyOf(pair: FoundPair, confidence: Confidence, doubt: Doubt | undefined): string {
  if (doubt !== undefined && (pair.isAcrossRuns || isCapped(seenOf(pair), doubt)))
    return `${confidence}, since ${doubt.why}`;
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
