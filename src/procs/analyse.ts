/** Reads a recorded run and finds its races: what `detect` and `procs` share. */
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { keptReport } from '../report/kept-report.ts';
import type { Report } from '../report/model.ts';
import { readTrace } from '../trace/reader.ts';
import type { TraceRecord } from '../trace/records/record.ts';
import type { Run } from '../trace/run-directory.ts';
import { detectRaces } from './detect/detect.ts';
import type { DetectedRace } from './detect/race.ts';
import { buildTimeline, type Timeline } from './detect/timeline.ts';
import { buildReport } from './report.ts';
import { unmodelledCalls } from './unmodelled-calls.ts';
import { withEarlierVerdicts } from './validate/earlier-verdicts.ts';

export interface AnalyseOptions {
  /** Make do with what precedes the damage of a damaged recording. */
  salvage: boolean;
  /** Also tell of races that make no difference that can be seen. */
  all: boolean;
}

/** A recording, and what was found in it. */
export interface Analysis {
  readonly records: readonly TraceRecord[];
  readonly timeline: Timeline;
  /** Those that the report tells of, in its order. */
  readonly races: readonly DetectedRace[];
  /** All that were found. */
  readonly found: readonly DetectedRace[];
  readonly report: Report;
}

/** With the verdicts that there are already. The report is also left in the run directory. */
export function analyse(run: Run, version: string, options: AnalyseOptions): Report {
  const { report } = analyseRecords(run, version, options);
  return saved(run, withEarlierVerdicts(run, report));
}

/** A recording in its order; one with holes has none. */
export function readTimeline(run: Run, { salvage }: Pick<AnalyseOptions, 'salvage'>) {
  const trace = readTrace(run.traceFile, { salvage });
  const records = [...trace];
  const dropped = trace.totals?.droppedEvents ?? 0;
  if (dropped > 0) {
    throw new UserError(
      `the recording of ${run.name} lacks ${dropped} events, so its order is not known`,
      'record again on a less busy machine',
      ExitStatus.unavailable,
    );
  }
  const { cwd, folders, devices } = run.info;
  return { trace, records, timeline: buildTimeline(records, cwd, folders, devices) };
}

export function analyseRecords(
  run: Run,
  version: string,
  { salvage, all }: AnalyseOptions,
): Analysis {
  const { trace, records, timeline } = readTimeline(run, { salvage });
  const detection = detectRaces(timeline);
  const unmodelled = unmodelledCalls(records);
  const warnings = [
    ...(trace.loss
      ? [`the recording could be read only up to chunk ${trace.loss.chunk}: ${trace.loss.reason}`]
      : []),
    ...(trace.totals?.interrupted ? ['the recording was interrupted and is incomplete'] : []),
    ...notes(records),
    ...unmodelled.warnings,
    ...detection.warnings,
  ];
  const races = detection.races.filter(({ withoutConsequence }) => all || !withoutConsequence);
  const hidden = detection.races.length - races.length;
  const report = buildReport(run, version, timeline, { races, warnings, hidden });
  const stats = { ...report.stats, unmodelledCalls: unmodelled.counts };
  return { records, timeline, races, found: detection.races, report: { ...report, stats } };
}

export function saved(run: Run, report: Report): Report {
  return keptReport(report, (text) => run.saveReport(text));
}

/** What the recorder had to say, each thing once. */
function notes(records: readonly TraceRecord[]): string[] {
  return [...new Set(records.flatMap((record) => (record.kind === 'note' ? [record.text] : [])))];
}
