/** Goes through the races of a recorded run and says of each whether it does harm. */
import { statSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { byVerdict } from '../../report/findings.ts';
import type { Race, Report, Task } from '../../report/model.ts';
import { untried } from '../../report/wording.ts';
import { fingerprint } from '../../trace/fingerprint.ts';
import type { Run } from '../../trace/run-directory.ts';
import { saved } from '../analyse.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { attemptFolder, discard } from './attempt-folders.ts';
import { AttemptPool } from './attempt-pool.ts';
import type { Started } from './attempt-thread.ts';
import { Stopwatch } from './figures.ts';
import { causeOf, runOfAttempt, toldOf } from './further-races.ts';
import { IdleProcessors } from './idle-processors.ts';
import type { Found, ThreadTask } from './request.ts';
import { requireReplayable } from './require-replayable.ts';
import { foldSameEnds } from './same-end.ts';
import { threadsFor } from './thread-count.ts';
import { TimeAllowed } from './time-allowed.ts';
import { unknownTasks, withVerdict } from './told-verdict.ts';
import { isDoubtful, TriedRaces } from './tried-races.ts';
import { Validator, type ValidatorOptions } from './validator.ts';

export interface ValidateOptions extends Omit<ValidatorOptions, 'keepsRuns' | 'over'> {
  readonly version: string;
  readonly all: boolean;
  /** How many races to try at once. */
  readonly jobs: number;
  /** How many second runs may go beside their first, if so many processors are idle. */
  readonly spareRuns: number;
  /** How often to look for further races in the runs of the races that were tried. */
  readonly recursive: number;
  /** Races that were tried in another run already (further-races.ts). */
  readonly known?: ReadonlySet<string>;
  /** Those of which nobody is to hear: they are not tried. */
  isSuppressed(race: Race): boolean;
  /** After how long to end it, however little was tried: to read the recording and to run its order count, too. */
  readonly budgetMs?: number | undefined;
  /** Stops at once; races without a verdict stay without. */
  readonly stop: AbortSignal;
}

export async function validate(run: Run, options: ValidateOptions): Promise<Report> {
  requireReplayable(run);
  const { version, all, recursive } = options;
  const recordsAttempts = recursive > 0;
  const task = { runPath: run.path, home: run.home, version, all, recordsAttempts };
  const time = new TimeAllowed(options.stop, options.budgetMs);
  try {
    return await validateWithin(time, run, task, options);
  } finally {
    time.close();
  }
}

async function validateWithin(
  time: TimeAllowed,
  run: Run,
  task: ThreadTask,
  options: ValidateOptions,
): Promise<Report> {
  const idle = new IdleProcessors();
  const { pool, report, doubtful, ...started } = await AttemptPool.start(task);
  // Where there is none to spare while one thread reads, others that read would be in the way.
  const spareRuns = Math.min(options.spareRuns, Math.round(idle.count));
  // Behind those that there are for certain: nobody hears of them unless they do harm.
  const candidates = {
    ...report,
    races: [...report.races, ...doubtful.races],
    tasks: [...(report.tasks ?? []), ...unknownTasks(doubtful.tasks ?? [], report.tasks ?? [])],
  };
  const verdicts = withVerdicts(
    run,
    pool,
    { ...started, report: candidates },
    { ...options, time, spareRuns },
  );
  const judged = await verdicts.finally(async () => {
    await pool.end();
    for (const name of ['recorded', 'free']) discard(attemptFolder(run, name));
  });
  const isWorthTelling = (race: Race): boolean => race.verdict === 'harmful' || !isDoubtful(race);
  return saved(run, { ...judged, races: judged.races.filter(isWorthTelling) });
}

async function withVerdicts(
  run: Run,
  pool: AttemptPool,
  { report, orderIn, missing }: Pick<Found & Started, 'report' | 'orderIn' | 'missing'>,
  options: ValidateOptions & { readonly time: TimeAllowed },
): Promise<Report> {
  const { time } = options;
  const wanted = report.races.filter((race) => !options.isSuppressed(race));
  if (wanted.length === 0) return report;
  const { over } = time;
  const interrupt = (): void => pool.interrupt();
  if (over.aborted) interrupt();
  over.addEventListener('abort', interrupt);
  const keepsRuns = options.recursive > 0;
  const stopwatch = new Stopwatch();
  const validator = new Validator(run, pool, orderIn, { ...options, keepsRuns, over });
  try {
    const idle = new IdleProcessors();
    const { jobs } = options;
    const spareRuns = options.baseline || isLarge(run) ? 0 : options.spareRuns;
    const { useful } = threadsFor(wanted.length, { jobs, spareRuns });
    // While the recorded order runs, so that they are there for the first race already; nobody depends on them.
    if (spareRuns > 0) void pool.growTo(useful).catch(() => undefined);
    const trouble = await validator.prepare();
    pool.mostAtOnce = jobs + Math.min(spareRuns, Math.round(idle.countWithout(pool.grownMs)));
    const { judged, tasks, tried } = await judgeAll(run, pool, report, {
      ...options,
      ...{ validator, stopwatch, over },
    });
    const { baseline } = validator;
    const inBranches = { ...options, baseline, stop: over, budgetMs: undefined };
    const further = await furtherRaces(run, judged, tried, inBranches);
    const certain = judged.filter((race) => !isDoubtful(race) && !options.isSuppressed(race));
    const left = certain.filter(({ verdict }) => verdict === 'detected').length;
    const warnings = [
      ...(report.warnings ?? []),
      ...(options.baseline ? [] : validator.warnings),
      ...(trouble ? [`the recorded order could not be repeated: ${trouble}`] : []),
      ...(trouble ? missing : []),
      ...(left > 0 ? [untried(left, certain.length, time.isInterrupted)] : []),
    ];
    const harmful = judged.filter(({ verdict }) => verdict === 'harmful');
    const others = judged.filter(({ verdict }) => verdict !== 'harmful').sort(byVerdict);
    return {
      ...report,
      races: [...foldSameEnds([...harmful, ...further.races]), ...others],
      tasks: [...tasks, ...unknownTasks(further.tasks, tasks)],
      ...(warnings.length > 0 && { warnings }),
      stats: {
        ...report.stats,
        validation: {
          ...stopwatch.figures(validator.recordedMs),
          recording: fingerprint(run),
        },
      },
    };
  } finally {
    await validator.close();
  }
}

/** Each thread has the recording in memory, in many times the space: nobody has asked for more of them than jobs. */
const isLarge = ({ traceFile }: Run): boolean =>
  statSync(encodeBytes(traceFile)).size > LARGEST_TRACE;
const LARGEST_TRACE = 16 << 20;

interface Judgement {
  readonly judged: readonly Race[];
  readonly tasks: readonly Task[];
  /** How the runs ended in which a race, by its id, was the other way round. */
  readonly tried: ReadonlyMap<string, RunOutcome>;
}

async function furtherRaces(
  run: Run,
  judged: readonly Race[],
  tried: ReadonlyMap<string, RunOutcome>,
  options: ValidateOptions,
): Promise<{ races: readonly Race[]; tasks: readonly Task[] }> {
  const races: Race[] = [];
  const tasks: Task[] = [];
  const known = new Set([...(options.known ?? []), ...judged.map(causeOf)]);
  for (const [id, outcome] of options.recursive > 0 ? tried : []) {
    const origin = judged.find((race) => race.id === id)!;
    const branch = options.stop.aborted ? undefined : runOfAttempt(run, outcome);
    if (!branch) continue;
    const report = await validate(branch, { ...options, recursive: options.recursive - 1, known });
    const told = toldOf(report, origin);
    races.push(...told.races);
    tasks.push(...(told.tasks ?? []));
    for (const race of report.races) known.add(causeOf(race));
  }
  return { races, tasks };
}

interface JudgeOptions extends Pick<ValidateOptions, 'jobs' | 'known' | 'isSuppressed'> {
  readonly validator: Validator;
  readonly stopwatch: Stopwatch;
  /** Fires when to stop. */
  readonly over: AbortSignal;
}

/** The nearest first, so that a budget goes to those that are the likeliest. */
async function judgeAll(
  run: Run,
  pool: AttemptPool,
  { races, tasks: tasksBefore = [] }: Report,
  options: JudgeOptions,
): Promise<Judgement> {
  const { validator, stopwatch, over, jobs, known, isSuppressed } = options;
  const isToBeTried = (race: Race): boolean => !known?.has(causeOf(race)) && !isSuppressed(race);
  const wanted = races.filter(isToBeTried);
  const count = new TriedRaces(wanted);
  const judged = [...races];
  const tasks = [...tasksBefore];
  const tried = new Map<string, RunOutcome>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < races.length; index = next++) {
      if (over.aborted) return;
      const race = races[index]!;
      if (!isToBeTried(race)) continue;
      const verdict = await validator.verdictOn(index, race, isDoubtful(race));
      if (!verdict) return;
      stopwatch.note(race.id, verdict);
      judged[index] = withVerdict(race, verdict, run);
      if (verdict.kind !== 'diverged') tried.set(race.id, verdict.outcome);
      if (verdict.kind === 'harmful') {
        tasks.push(...unknownTasks(verdict.told?.tasks ?? [], tasks));
      }
      count.add(race);
    }
  };
  count.tell();
  const { needed, useful } = threadsFor(wanted.length, { jobs, spareRuns: 0 });
  const grown = pool.growTo(needed);
  // Whoever has no need of a thread for second runs is not to wait for it either.
  void pool.growTo(useful).catch(() => undefined);
  await Promise.all([grown, ...Array.from({ length: needed }, work)]);
  return { judged, tasks, tried };
}
