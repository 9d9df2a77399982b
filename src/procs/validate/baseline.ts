/**
 * What other orders are compared with: how the program ends in the order in which it was recorded. That order
 * is run once more, and what differs between that run and the recording differs without any race.
 */
import { tellProgress } from '../../base/progress.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { FinalFiles } from '../check/final-files.ts';
import type { Around } from '../check/finding.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { unstableFiles } from '../check/unstable-files.ts';
import { type Attempts, NO_SPACE } from './attempts.ts';
import { endlessLimitFor, FIRST_LIMIT_MS, limitFor } from './hang-limit.ts';
import { recordedOutcome } from './recorded-outcome.ts';

export interface Baseline {
  readonly recorded: readonly RunOutcome[];
  /** Files that differ without another order. */
  readonly unstable: Around['unstable'];
  /** How long one attempt may take. */
  readonly limitMs: number;
}

/** As long as there is none. */
export const NO_BASELINE: Baseline = {
  recorded: [],
  unstable: { has: () => false },
  limitMs: limitFor(0),
};

export interface RecordedOrder {
  /** Absent if there was no time for it, or no way. */
  readonly baseline?: Baseline;
  /** Why it did not go the way it was recorded. */
  readonly trouble?: string | undefined;
  /** How long it took, if it was run. */
  readonly milliseconds?: number;
}

export async function runRecordedOrder(
  run: Run,
  attempts: Attempts,
  filesOf: (outcome: RunOutcome) => FinalFiles,
  over: AbortSignal,
): Promise<RecordedOrder> {
  const { outcome: recorded, milliseconds: recordedMs } = recordedOutcome(run);
  const isEndless = recorded.hung;
  const firstLimitMs = isEndless ? endlessLimitFor(recordedMs) : FIRST_LIMIT_MS;
  const again = await attempts.try({ kind: 'recorded' }, 'recorded', firstLimitMs);
  if (over.aborted) return {};
  if (again === 'no space') return { trouble: NO_SPACE };
  if (!again) return { trouble: 'the recording has no order' };
  const { milliseconds } = again;
  // Nobody can follow to its end what has none.
  const trouble = isEndless && again.outcome.hung ? undefined : again.diverged;
  // Where it does not even get along that way, what goes wrong otherwise may have other reasons: the
  // sandbox, or that nobody answers. So what a free run shows as well does not count.
  if (trouble !== undefined) tellProgress('going on by itself', 0, 0);
  const comparable = trouble === undefined ? again : await attempts.try({ kind: 'free' }, 'free');
  if (over.aborted) return { milliseconds };
  const { outcome } = comparable && comparable !== 'no space' ? comparable : again;
  // What was written to the terminal then is not known, but what is written in that order now.
  const { stdout, stderr } = outcome;
  const baseline = {
    recorded: [{ ...recorded, stdout, stderr }, outcome],
    unstable: unstableFiles(filesOf(recorded), filesOf(outcome)),
    limitMs: isEndless ? firstLimitMs : limitFor(milliseconds),
  };
  return { baseline, trouble, milliseconds };
}
