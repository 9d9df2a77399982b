/** What `confirm` and `threads` share: showing predicted races by running the program, with a progress bar. */
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import type { Race, Report } from '../report/model.ts';
import { isSuppressed } from '../report/suppress.ts';
import type { ConfirmedRun, Predictions } from '../threads/confirm-run.ts';
import type { Run } from '../trace/run-directory.ts';
import { type ReportOptions, USUAL_BUDGET_MS } from './common-options.ts';
import { startProgress } from './progress.ts';
import { readSuppressions } from './suppressions.ts';
import type { Terminal } from './terminal.ts';

interface Options extends Pick<ReportOptions, 'suppressions'> {
  timeout?: number;
  budget?: number;
}

/** Those that were shown before are not tried again, unless they are among `ids`. */
export async function confirmPredictions(
  run: Run,
  predictions: Predictions,
  {
    suppressions,
    timeout: timeoutMs,
    budget: budgetMs,
    ids,
  }: Options & { ids?: readonly string[] },
  terminal: Terminal,
): Promise<ConfirmedRun> {
  const { confirmRun } = await import('../threads/confirm-run.ts');
  const { furtherRun } = await import('../linux/further-run.ts');
  const { findTarget } = await import('../threads/tracing/trace-program.ts');
  const rules = readSuppressions(suppressions);
  const isWanted = (race: Race): boolean =>
    ids === undefined
      ? race.verdict === 'predicted' && !isSuppressed(race, rules)
      : ids.includes(race.id);
  if (!predictions.report.races.some(isWanted)) {
    return { report: predictions.report, interruptedBy: undefined };
  }
  const { program } = findTarget(run.info.command, []);
  const further = furtherRun(program);
  const progress = await startProgress(terminal, 0);
  progress.update(0, 'getting ready to run it');
  try {
    const confirmed = await confirmRun(run, further.program, predictions, {
      timeoutMs,
      budgetMs,
      isWanted,
      progress: (done, total) => progress.update(done, 'races tried', total),
    });
    if (further.lacksInput && confirmed.report.races.some(isWanted)) {
      terminal.warn(
        "the program's input comes from a pipe and cannot be had again: it was empty when races were tried; " +
          'give it a file to repeat it',
      );
    }
    return confirmed;
  } finally {
    progress.stop();
    further.close();
  }
}

/** What was predicted of a run, by an earlier command or now. */
export async function predictionsOf(run: Run, terminal: Terminal): Promise<Predictions> {
  const { savedReport } = await import('../report/saved-report.ts');
  const { predictIn } = await import('./predicting.ts');
  const usual = { budget: USUAL_BUDGET_MS };
  const report = savedReport(run) ?? (await predictIn(run, usual, terminal)).report;
  return withWitnesses(run, report);
}

export async function withWitnesses(run: Run, report: Report): Promise<Predictions> {
  const { readWholeTrace } = await import('../threads/whole-trace.ts');
  const { readWitnesses } = await import('../threads/witness-file.ts');
  const { trace } = readWholeTrace(run, false);
  return { report, trace, witnesses: readWitnesses(run, trace) };
}

/** The program is run where it was traced. */
export function goWhereItRan({ info }: Run): void {
  const gone = tryTo(() => process.chdir(encodeBytes(info.cwd).toString()));
  if (gone.ok) return;
  throw new UserError(
    `the program was run in ${info.cwd}, which cannot be entered`,
    'make it again, or record the program anew',
  );
}

export function requireProgram({ name, info }: Run): void {
  if (info.recorder !== 'import') return;
  throw new UserError(
    `the trace of ${name} was imported: there is no program to run`,
    'trace the program itself with deadheat trace',
  );
}

export function requireRace(run: Run, id: string, races: readonly { readonly id: string }[]): void {
  if (races.some((race) => race.id === id)) return;
  throw new UserError(
    `${run.name} has no race ${id}`,
    races.length === 0
      ? `it has none at all: 'deadheat predict ${run.name}' looks for them`
      : `it has ${races.map((race) => race.id).join(', ')}`,
  );
}
