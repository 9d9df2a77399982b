/**
 * A process died of a signal that did not kill its like in the recorded run. Two `sh` that the
 * command kills with SIGTERM in both runs are none of our business, a third one is.
 *
 * That a reader leaves a pipeline early is usual, as in `yes | head`, and whether the writer notices
 * depends on the moment: who dies of SIGPIPE does not count.
 */
import { Signal, signalName } from '../../../linux/signals.ts';
import type { Checker } from '../finding.ts';
import type { RunOutcome } from '../outcome.ts';
import { counted, surplus } from './multiset.ts';

const sentences = ({ deaths }: RunOutcome): string[] =>
  deaths
    .filter(({ signal }) => signal !== Signal.SIGPIPE)
    .map(({ program, signal }) => `${program} dies of ${signalName(signal)}`);

export const death: Checker = (recorded, branch) => {
  // Whatever was still running then was killed by us.
  if (branch.hung) return undefined;
  const added = surplus(sentences(branch), sentences(recorded));
  return added.length > 0 ? { checker: 'death', evidence: counted(added) } : undefined;
};
