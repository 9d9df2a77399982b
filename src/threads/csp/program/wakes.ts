/**
 * Which waits for a condition were ended by a signal or a broadcast, and which ended by themselves. The
 * trace does not say who woke whom; each signal is given to that one of those who wait which goes on
 * first, so that as many waits as possible have been signalled.
 *
 *   T1 waits          goes on          signal 1 → T1
 *     T2 waits                goes on  signal 2 → T2
 *        signal 1  signal 2
 */
import type { Step } from './step.ts';

/**
 * Says of each step that ends a wait when the signal for it came, or that there was none; all are of one
 * condition, in the order of the trace.
 */
export function markLapsedWaits(steps: readonly Step[]): void {
  const ends = endsOfWaits(steps);
  const known = new Set(ends.values());
  /** The ends of waits that nobody has signalled yet. */
  const waiting = new Set<Step>();
  for (const step of steps) {
    if (step.kind === 'waitBegin') {
      const end = ends.get(step);
      if (end !== undefined) waiting.add(end);
    } else if (step.kind === 'broadcast') {
      for (const end of waiting) end.need = step.at;
      waiting.clear();
    } else if (step.kind === 'signal') {
      const first = [...waiting].reduce<Step | undefined>(
        (one, other) => (one === undefined || other.at < one.at ? other : one),
        undefined,
      );
      if (first === undefined) continue;
      waiting.delete(first);
      first.need = step.at;
    } else if (step.kind === 'woken') {
      if (waiting.delete(step) || !known.has(step)) step.kind = 'lapsed';
    }
  }
}

function endsOfWaits(steps: readonly Step[]): Map<Step, Step> {
  const begins = new Map<number, Step>();
  const ends = new Map<Step, Step>();
  for (const step of steps) {
    const begin = begins.get(step.thread);
    if (step.kind === 'waitBegin') begins.set(step.thread, step);
    else if (step.kind === 'woken' && begin !== undefined) ends.set(begin, step);
  }
  return ends;
}
