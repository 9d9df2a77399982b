/** What `validate` and `procs` share: trying races, with a progress bar; Ctrl-C ends it early. */
import { availableParallelism } from 'node:os';
import { endProgress } from '../base/progress.ts';
import type { ValidateOptions } from '../procs/validate/validate.ts';
import type { Report } from '../report/model.ts';
import { isSuppressed } from '../report/suppress.ts';
import { plural } from '../report/wording.ts';
import type { Run } from '../trace/run-directory.ts';
import type { DetectionOptions, ReportOptions, ValidationOptions } from './common-options.ts';
import { EarlyEnd } from './early-end.ts';
import { showingProgress } from './progress.ts';
import { readSuppressions } from './suppressions.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export interface Validated {
  readonly report: Report;
  /** The signal by which the user asked for the end; then the report is incomplete. */
  readonly interruptedBy: number | undefined;
}

type Options = ValidationOptions & DetectionOptions & Pick<ReportOptions, 'suppressions'>;

/** A run needs a processor for the program, and one for us. Who says how many jobs there may be wants no more. */
function jobsFor(asked: number | undefined): Pick<ValidateOptions, 'jobs' | 'spareRuns'> {
  if (asked !== undefined) return { jobs: asked, spareRuns: 0 };
  const processors = availableParallelism();
  const jobs = Math.ceil(processors / 2);
  return { jobs, spareRuns: processors - jobs };
}

export async function validateRun(
  run: Run,
  { all, budget, timeout, check, ignoreFiles, jobs, recursive, suppressions }: Options,
  terminal: Terminal,
): Promise<Validated> {
  const { validate } = await import('../procs/validate/validate.ts');
  const rules = readSuppressions(suppressions);
  const early = new EarlyEnd({ beforeDying: endProgress });
  try {
    const report = await showingProgress(terminal, () =>
      validate(run, {
        version,
        all: all ?? false,
        budgetMs: budget,
        limitMs: timeout,
        ...jobsFor(jobs),
        recursive,
        checks: check,
        ignoreFiles,
        isSuppressed: (race) => isSuppressed(race, rules),
        stop: early.stop,
      }),
    );
    const left = report.races.filter(
      (race) => race.verdict === 'detected' && isSuppressed(race, rules),
    );
    if (left.length > 0) {
      const were = left.length === 1 ? 'was' : 'were';
      terminal.remark(`${plural(left.length, 'suppressed race')} ${were} not tried`);
    }
    return { report, interruptedBy: early.signal };
  } finally {
    early.stopListening();
  }
}
