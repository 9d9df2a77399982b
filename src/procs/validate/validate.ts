/** Goes through the races of a recorded run and says of each whether it does harm. */
import { byVerdict } from '../../report/findings.ts';
import type { Race, Report, Task } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import { saved } from '../analyse.ts';
import { AttemptThread } from './attempt-thread.ts';
import { requireReplayable } from './require-replayable.ts';
import { foldSameEnds } from './same-end.ts';
import { Validator, type ValidatorOptions, type Verdict } from './validator.ts';

export interface ValidateOptions extends ValidatorOptions {
  readonly version: string;
  readonly all: boolean;
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
  const { thread, report } = await AttemptThread.start({ runPath: run.path, version, all });
  try {
    return saved(run, await withVerdicts(run, thread, report, options));
  } finally {
    await thread.end();
  }
}

async function withVerdicts(
  run: Run,
  thread: AttemptThread,
  report: Report,
  options: ValidateOptions,
): Promise<Report> {
  const { races } = report;
  if (races.length === 0) return report;
  const { stop, budgetMs = Number.POSITIVE_INFINITY } = options;
  const until = performance.now() + budgetMs;
  const isTooLate = (): boolean => stop.aborted || performance.now() > until;
  stop.addEventListener('abort', () => thread.interrupt());
  const validator = new Validator(run, thread, options);
  const trouble = await validator.prepare();
  const judged: Race[] = [];
  const tasks = [...(report.tasks ?? [])];
  for (const [index, race] of races.entries()) {
    options.progress(index, races.length);
    const verdict = isTooLate() ? undefined : await validator.verdictOn(index, race.id);
    judged.push(verdict && !stop.aborted ? withVerdict(race, verdict, run) : race);
    if (verdict?.kind === 'harmful') tasks.push(...unknownTasks(verdict.told?.tasks ?? [], tasks));
  }
  const left = judged.filter(({ verdict }) => verdict === 'detected').length;
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
  };
}

const unknownTasks = (tasks: readonly Task[], known: readonly Task[]): Task[] =>
  tasks.filter(({ pid, thread }) => !known.some((one) => one.pid === pid && one.thread === thread));

function withVerdict(race: Race, verdict: Verdict, run: Run): Race {
  switch (verdict.kind) {
    case 'harmful':
      return {
        ...(verdict.told?.races[0] ?? race),
        occurrences: race.occurrences,
        verdict: 'harmful',
        evidence: verdict.findings.map(({ evidence }) => evidence).join('\n'),
        replay: `deadheat replay ${run.name} ${race.id}`,
      };
    case 'benign':
      return { ...race, verdict: 'benign' };
    case 'diverged':
      return { ...race, verdict: 'diverged', evidence: verdict.reason };
  }
}
