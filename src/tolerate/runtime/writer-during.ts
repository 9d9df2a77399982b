/**
 * Which of those who have written to a watched variable has ignored the lock: of all samples of writers, the one
 * between the times of which the section says that somebody was there.
 *
 *   100       section 3, thread 12, makes its copy
 *   120, 150  thread 15 writes                        the second one: what that left is what the section has found
 *   200       section 3, thread 12, compares
 *   230       thread 14 writes                        has the lock by then, for all that is known
 */
import type { ThreadSample } from '../../linux/perf-samples.ts';
import type { WatchedVariable } from '../../linux/write-watch.ts';
import type { RaceEvent, Sighting } from './event-file.ts';

export function writerDuring(
  samples: readonly ThreadSample[],
  { pid: process, thread, since, until }: Sighting,
): ThreadSample | undefined {
  return samples
    .filter(
      (one) =>
        one.process === process && one.thread !== thread && one.time >= since && one.time <= until,
    )
    .reduce<ThreadSample | undefined>(
      (last, one) => (last === undefined || one.time > last.time ? one : last),
      undefined,
    );
}

const WIDTHS = [8, 4, 2] as const;

/** Of a variable, as much as a debug register can watch, and nothing beside it. */
export function watchedPart({
  address,
  size,
}: Pick<RaceEvent, 'address' | 'size'>): WatchedVariable {
  for (const width of WIDTHS) {
    const wide = BigInt(width);
    const first = ((address + wide - 1n) / wide) * wide;
    if (first + wide <= address + BigInt(size)) return { address: first, size: width };
  }
  return { address, size: 1 };
}
