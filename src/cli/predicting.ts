/** Predicting races, and what is said beside the report; Ctrl-C ends the search early. */
import type { Report } from '../report/model.ts';
import { predictInThread } from '../threads/predict-in-thread.ts';
import type { Run } from '../trace/run-directory.ts';
import type { PredictionOptions } from './common-options.ts';
import { counted } from './counted.ts';
import { EarlyEnd } from './early-end.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export interface PredictedIn {
  readonly report: Report;
  /** The signal by which the user asked for the end. */
  readonly interruptedBy: number | undefined;
}

interface Options extends PredictionOptions {
  /** Where CSPm scripts go. */
  csp?: string;
  salvage?: true;
}

export async function predictIn(
  run: Run,
  { sound, budget: budgetMs, salvage, csp }: Options,
  terminal: Terminal,
): Promise<PredictedIn> {
  const early = new EarlyEnd();
  try {
    const { report, exported } = await showingProgress(terminal, () =>
      predictInThread(run, {
        options: { version, sound: sound ?? false, budgetMs, salvage: salvage ?? false },
        scripts: csp,
        stop: early.stop,
      }),
    );
    if (exported !== undefined) {
      const { scripts, leftOut } = exported;
      const rest = leftOut === 0 ? '' : `; ${leftOut} more checks are too many, or too long`;
      terminal.remark(`${counted(scripts, 'CSPm script')} in ${csp}${rest}`);
    }
    if (early.signal !== undefined) {
      terminal.warn('interrupted: what was not decided until then is undecided');
    }
    return { report, interruptedBy: early.signal };
  } finally {
    early.stopListening();
  }
}
