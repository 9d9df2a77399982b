/** The events of wait-wakeups detection: a wait, the end of the child that it took, and another's. */
import type { Step } from '../step.ts';
import type { ChildWait } from '../timeline.ts';

export interface AmbiguousWait {
  wait: ChildWait;
  /** How the child ended that it collected, and one that it could have collected instead. */
  taken: Step;
  other: Step;
  /** The wait that collected the other one, if any did. */
  next: ChildWait | undefined;
}
