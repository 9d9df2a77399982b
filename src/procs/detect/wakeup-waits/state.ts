/** The state of wakeup-waits detection: for each pair of takers, who gave what they took. */
import type { Pair } from '../load-store/root-causes.ts';
import type { Timeline } from '../timeline.ts';
import type { SharedWakeup } from './event.ts';

export function sharedWakeup(takers: Pair, { took, steps }: Timeline): SharedWakeup {
  const [first, second] = takers.sides.map(({ step }) => took.get(step.event)?.givers[0]);
  const event = first ?? second;
  return { takers, wakeup: event === undefined ? undefined : steps[event] };
}
