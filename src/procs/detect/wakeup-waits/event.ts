/** The events of wakeup-waits detection: two that took from one stream, and what one of them took. */
import type { Pair } from '../load-store/root-causes.ts';
import type { Step } from '../step.ts';

export interface SharedWakeup {
  /** Each could have got what the other got. */
  takers: Pair;
  /** What woke the first of them; unknown if it came from outside. */
  wakeup: Step | undefined;
}
