/**
 * Where marks are along the timeline. By order: each mark of a shown lane is one further, those that are folded
 * away take next to nothing, so that what matters is not lost among thousands of calls of others. By time:
 * when it ended, in microseconds.
 */
import type { Marks } from '../../src/report/html/picture.ts';

export type AxisKind = 'order' | 'time';

export interface Axis {
  readonly kind: AxisKind;
  /** By mark, ascending. */
  readonly positions: Float64Array;
  /** By mark: how long before that it began. */
  readonly lengths: Float64Array;
  readonly end: number;
}

const FOLDED_STEP = 0.02;

export function axisOf(kind: AxisKind, marks: Marks, isShown: (lane: number) => boolean): Axis {
  const count = marks.event.length;
  const positions = new Float64Array(count);
  const lengths = new Float64Array(count);
  let at = 0;
  for (let place = 0; place < count; place++) {
    if (kind === 'time') at = Math.max(at, marks.ended[place]!);
    else at += isShown(marks.lane[place]!) ? 1 : FOLDED_STEP;
    positions[place] = at;
    lengths[place] =
      kind === 'time' ? marks.took[place]! : at - (positions[place - marks.span[place]!] ?? at);
  }
  return { kind, positions, lengths, end: at + (kind === 'time' ? Math.max(1, at * 0.02) : 1) };
}

/** `1.5 s`, `20 ms`: for the marks of the ruler. */
export function timeText(microseconds: number): string {
  if (microseconds >= 1e6) return `${trimmed(microseconds / 1e6)} s`;
  return microseconds >= 1000
    ? `${trimmed(microseconds / 1000)} ms`
    : `${trimmed(microseconds)} µs`;
}

const trimmed = (value: number): string => value.toFixed(3).replace(/\.?0+$/, '');
