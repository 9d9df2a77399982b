/** The events of signal detection: a signal that was sent, where it arrived, and what it could have met. */
import type { Step } from '../step.ts';

export interface SignalRace {
  signal: number;
  sent: Step;
  delivered: Step;
  /**
   * What the target did that nothing orders with the sending: the signal could have come before it;
   * or the call that it interrupted, and that could have been over before.
   */
  met: Step;
  /** That this makes a difference: it set up the handler, or changed something. */
  matters: boolean;
}
