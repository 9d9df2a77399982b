/** Goes through the races of a recorded run and says of each whether it does harm. */
import { byVerdict } from '../../report/findings.ts';
import type { Race, Report } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import { saved } from '../analyse.ts';
import { AttemptPool } from './attempt-pool.ts';
import { Stopwatch } from './figures.ts';
import { requireReplayable } from './require-replayable.ts';
import { foldSameEnds } from './same-end.ts';
import { unknownTasks, withVerdict } from './told-verdict.ts';
import { Validator, type ValidatorOptions } from './validator.ts';

export interface ValidateOptions extends ValidatorOptions {
  readonly version: string;
  readonly all: boolean;
  /** How many races to try at once. */
  readonly jobs: number;
  /** When to stop. */
  readonly budgetMs?: number | undefined;
  /** Stops at once; races without a verdict stay without. */
  readonly stop: AbortSignal;
  /** Is told how many races have a verdict, and of how many. */
  progress(done: number, total: number): void;
}

export async function validate(run: Run, options: ValidateOptions): Promise<Report> {
  requireReplayable(run);
  const { version, all } = options;
  const { pool, report, doubtful } = await AttemptPool.start({ runPath: run.path, version, all });
  // Behind those that there are for certain: nobody hears of them unless they do harm.
  const candidates = {
    ...report,
    races: [...report.races, ...doubtful.races],
    tasks: [...(report.tasks ?? []), ...unknownTasks(doubtful.tasks ?? [], report.tasks ?? [])],
  };
  try {
    const judged = await withVerdicts(run, pool, candidates, options);
    const isWorthTelling = (race: Race): boolean => race.verdict === 'harmful' || !isDoubtful(race);
    return saved(run, { ...judged, races: judged.races.filter(isWorthTelling) });
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
  options.stop.addEventListener('abort', () => pool.interrupt());
  const stopwatch = new Stopwatch();
  const validator = new Validator(run, pool, options);
  const trouble = await validator.prepare();
  const { judged, tasks } = await judgeAll(run, pool, report, { validator, stopwatch }, options);
  const left = judged.filter((race) => race.verdict === 'detected' && !isDoubtful(race)).length;
  const warnings = [
    ...(report.warnings ?? []),
    ...validator.warnings,
    ...(trouble ? [`the recorded order could not be repeated: ${trouble}`] : []),
    ...(left > 0 ? [`there was no time left for ${left} of ${races.length} races`] : []),
  ];
  const harmful = judged.filter(({ verdict }) => verdict === 'harmful');
  const others = judged.filter(({ verdict }) => verdict !== 'harmful').sort(byVerdict);
  return {
    ...report,
    races: [...foldSameEnds(harmful), ...others],
    tasks,
    ...(warnings.length > 0 && { warnings }),
    stats: { ...report.stats, validation: stopwatch.figures(validator.recordedMs) },
  };
}

/** See known-races.ts. */
const isDoubtful = ({ id }: Race): boolean => id.startsWith('D');

/** The nearest first, so that a budget goes to those that are the likeliest. */
async function judgeAll(
  run: Run,
  pool: AttemptPool,
  { races, tasks: known = [] }: Report,
  { validator, stopwatch }: { validator: Validator; stopwatch: Stopwatch },
  { stop, budgetMs = Number.POSITIVE_INFINITY, jobs, progress }: ValidateOptions,
): Promise<{ judged: readonly Race[]; tasks: Report['tasks'] }> {
  const until = performance.now() + budgetMs;
  const judged = [...races];
  const tasks = [...known];
  let next = 0;
  let done = 0;
  const isTooLate = (): boolean => stop.aborted || performance.now() > until;
  const work = async (): Promise<void> => {
    for (let index = next++; index < races.length; index = next++) {
      if (isTooLate()) return;
      const race = races[index]!;
      const limits = { isTooLate, isDoubtful: isDoubtful(race) };
      const verdict = await validator.verdictOn(index, race, limits);
      if (stop.aborted) return;
      stopwatch.note(race.id, verdict);
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
