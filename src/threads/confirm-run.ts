/**
 * Runs the program of a traced run again for each race that was predicted, and keeps in its report which of them
 * could be shown.
 */
import { join } from 'node:path';
import type { UntracedProgram } from '../linux/start-untraced.ts';
import { byVerdict } from '../report/findings.ts';
import { keptReport } from '../report/kept-report.ts';
import type { Race, Report } from '../report/model.ts';
import { untried } from '../report/wording.ts';
import type { Run } from '../trace/run-directory.ts';
import { confirmRace } from './confirm/confirm-race.ts';
import { limitsFor } from './confirm/limits.ts';
import { withConfirmation } from './confirm/told-confirmation.ts';
import type { ThreadTrace } from './model/trace.ts';
import type { RaceWitness } from './predict/witness.ts';

/** What was predicted. */
export interface Predictions {
  readonly report: Report;
  readonly witnesses: ReadonlyMap<string, RaceWitness>;
  readonly trace: ThreadTrace;
}

export interface ConfirmRunOptions {
  /** For one run of the program. */
  readonly timeoutMs?: number | undefined;
  /** After so long no further race is tried. */
  readonly budgetMs?: number | undefined;
  /** Which races to try. */
  isWanted(race: Race): boolean;
  /** Is told how many were tried, and of how many. */
  progress(done: number, total: number): void;
}

export interface ConfirmedRun {
  readonly report: Report;
  /** The signal by which the user asked for the end; then not all races were tried. */
  readonly interruptedBy: number | undefined;
}

/** Figures of one race: `stats.confirmation.R1`. */
export interface ConfirmationFigures {
  readonly confirmed: boolean;
  readonly attempts: number;
  readonly milliseconds: number;
}

export async function confirmRun(
  run: Run,
  program: UntracedProgram,
  { report, witnesses, trace }: Predictions,
  { timeoutMs, budgetMs = Number.POSITIVE_INFINITY, isWanted, progress }: ConfirmRunOptions,
): Promise<ConfirmedRun> {
  const limits = limitsFor(run.info.ranMs ?? 0, timeoutMs);
  const target = { program, folder: join(run.path, 'agent') };
  const wanted = report.races.filter((race) => witnesses.has(race.id) && isWanted(race));
  const told = new Map<string, Race>();
  const figures: Record<string, ConfirmationFigures> = {};
  let interruptedBy: number | undefined;
  const over = performance.now() + budgetMs;
  progress(0, wanted.length);
  for (const [done, race] of wanted.entries()) {
    const began = performance.now();
    if (began >= over) break;
    const result = await confirmRace(trace, witnesses.get(race.id)!, target, limits);
    const milliseconds = performance.now() - began;
    if (result.kind === 'missed' && result.cause === 'interrupted') {
      ({ interruptedBy } = result);
      break;
    }
    const confirmed = result.kind === 'confirmed';
    figures[race.id] = { confirmed, attempts: result.attempts, milliseconds };
    told.set(race.id, withConfirmation(race, result, `deadheat replay ${run.name} ${race.id}`));
    progress(done + 1, wanted.length);
  }
  const left = wanted.length - told.size;
  const warnings = [
    ...(report.warnings ?? []),
    ...(left > 0 ? [untried(left, wanted.length, interruptedBy !== undefined)] : []),
  ];
  const confirmed: Report = {
    ...report,
    races: report.races.map((race) => told.get(race.id) ?? race).sort(byVerdict),
    ...(warnings.length > 0 && { warnings }),
    stats: {
      ...report.stats,
      confirmation: { ...(report.stats.confirmation as object | undefined), ...figures },
    },
  };
  return { report: keptReport(confirmed, (text) => run.saveReport(text)), interruptedBy };
}
