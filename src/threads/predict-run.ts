/**
 * Predicts the races of a run and leaves the report in it: what `predict` and others share.
 *
 *   const { report, witnesses, trace } = predictRun(run, { version, sound: false, budgetMs: 60_000 });
 *   witnesses.get('R1')?.steps
 */
import { keptReport } from '../report/kept-report.ts';
import type { Race, Report } from '../report/model.ts';
import { savedReport } from '../report/saved-report.ts';
import type { Run } from '../trace/run-directory.ts';
import type { ThreadTrace } from './model/trace.ts';
import { type Predicted, type PredictOptions, predictRaces } from './predict/predict-races.ts';
import type { RaceWitness } from './predict/witness.ts';
import { predictionWarnings } from './prediction-warnings.ts';
import { buildReport } from './report.ts';
import { readWholeTrace } from './whole-trace.ts';
import { saveWitnesses } from './witness-file.ts';

export interface PredictRunOptions extends PredictOptions {
  /** Of deadheat. */
  readonly version: string;
  /** Make do with what precedes the damage of a damaged trace. */
  readonly salvage?: boolean;
}

export interface PredictedRun {
  readonly report: Report;
  /** By the race's id. */
  readonly witnesses: ReadonlyMap<string, RaceWitness>;
  readonly trace: ThreadTrace;
  readonly predicted: Predicted;
}

export function predictRun(run: Run, options: PredictRunOptions): PredictedRun {
  const { trace, warnings } = readWholeTrace(run, options.salvage ?? false);
  const predicted = predictRaces(trace, options);
  const all = [...warnings, ...predictionWarnings(predicted, trace)];
  const built = buildReport(run, options.version, trace, predicted, all);
  const witnesses = new Map(predicted.races.map(({ path }, i) => [built.races[i]!.id, path]));
  const report = keptReport(withConfirmations(built, savedReport(run)), (text) => {
    // First: a report without its witnesses would be worse than none.
    saveWitnesses(run, witnesses);
    run.saveReport(text);
  });
  return { report, witnesses, trace, predicted };
}

/** What was shown once is shown for good: the same race of the same trace keeps its evidence. */
function withConfirmations(report: Report, earlier: Report | undefined): Report {
  const shown = earlier?.races.filter(({ verdict }) => verdict === 'confirmed') ?? [];
  const isSame = (one: Race, other: Race): boolean =>
    one.id === other.id && one.title === other.title && one.rung === other.rung;
  const races = report.races.map((race) => shown.find((one) => isSame(one, race)) ?? race);
  const { confirmation } = earlier?.stats ?? {};
  return {
    ...report,
    races,
    stats: { ...report.stats, ...(confirmation !== undefined && { confirmation }) },
  };
}
