/** Goes through the races of a recorded run and says of each whether it does harm. */
import { byVerdict } from '../../report/findings.ts';
import type { Race, Report } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import { saved } from '../analyse.ts';
import { AttemptPool } from './attempt-pool.ts';
import { requireReplayable } from './require-replayable.ts';
import { foldSameEnds } from './same-end.ts';
import { unknownTasks, withVerdict } from './told-verdict.ts';
import { Validator, type ValidatorOptions } from './validator.ts';

export interface ValidateOptions extends ValidatorOptions {
  readonly version: string;
  readonly all: boolean;
  /** How many races to try at once. */
  readonly jobs: number;
  /** After how long to try no further race; to run the recorded order once counts, too. */
  readonly budgetMs?: number | undefined;
  /** Stops at once; races without a verdict stay without. */
  readonly stop: AbortSignal;
  /** Is told how many races have a verdict, and of how many. */
  progress(done: number, total: number): void;
}

export async function validate(run: Run, options: ValidateOptions): Promise<Report> {
  requireReplayable(run);
  const { version, all } = options;
  const { pool, report } = await AttemptPool.start({ runPath: run.path, version, all });
  try {
    return saved(run, await withVerdicts(run, pool, report, options));
  } finally {
    await pool.end();
  }
}

async function withVerdicts(
  run: Run,
  pool: AttemptPool,
  report: Report,
  options: ValidateOptions,
): Promise<Report> {
  const { races } = report;
  if (races.length === 0) return report;
  const until = performance.now() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  options.stop.addEventListener('abort', () => pool.interrupt());
  const validator = new Validator(run, pool, options);
  const trouble = await validator.prepare();
  const { judged, tasks } = await judgeAll(run, pool, report, validator, until, options);
  const left = judged.filter(({ verdict }) => verdict === 'detected').length;
  const warnings = [
    ...(report.warnings ?? []),
    ...validator.warnings,
    ...(trouble && !options.stop.aborted
      ? [`the recorded order could not be repeated: ${trouble}`]
      : []),
    ...(left > 0 ? [untried(left, races.length, options.stop.aborted)] : []),
  ];
  const harmful = judged.filter(({ verdict }) => verdict === 'harmful');
  const others = judged.filter(({ verdict }) => verdict !== 'harmful').sort(byVerdict);
  return {
    ...report,
    races: [...foldSameEnds(harmful), ...others],
    tasks,
    ...(warnings.length > 0 && { warnings }),
  };
}

const untried = (left: number, all: number, isInterrupted: boolean): string =>
  isInterrupted
    ? `interrupted: ${left} of ${all} races were not tried`
    : `there was no time left for ${left} of ${all} races`;

/** The nearest first, so that a budget goes to those that are the likeliest. */
async function judgeAll(
  run: Run,
  pool: AttemptPool,
  { races, tasks: known = [] }: Report,
  validator: Validator,
  until: number,
  { stop, jobs, progress }: ValidateOptions,
): Promise<{ judged: readonly Race[]; tasks: Report['tasks'] }> {
  const judged = [...races];
  const tasks = [...known];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < races.length; index = next++) {
      if (stop.aborted || performance.now() > until) return;
      const race = races[index]!;
      const verdict = await validator.verdictOn(index, race);
      if (stop.aborted) return;
      judged[index] = withVerdict(race, verdict, run);
      if (verdict.kind === 'harmful') {
        tasks.push(...unknownTasks(verdict.told?.tasks ?? [], tasks));
      }
      progress(++done, races.length);
    }
  };
  progress(0, races.length);
  const workers = Math.min(jobs, races.length);
  await pool.growTo(workers);
  await Promise.all(Array.from({ length: workers }, work));
  return { judged, tasks };
}
