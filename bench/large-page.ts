/** The page of a large recording: calls of many processes (build-recording.ts), with the races among them. */
import { detectRaces } from '../src/procs/detect/detect.ts';
import { buildTimeline } from '../src/procs/detect/timeline.ts';
import { drawProcesses } from '../src/procs/picture.ts';
import { buildReport } from '../src/procs/report.ts';
import { racingEvents } from '../src/report/html/near-races.ts';
import type { PageData } from '../src/report/html/page-data.ts';
import type { RunInfo } from '../src/trace/run-info.ts';
import { buildRecording } from './build-recording.ts';

const FOLDER = '/build';

export function largePage(calls: number, processes: number): PageData {
  const startedAt = '2026-01-01T00:00:00.000Z';
  const info: RunInfo = {
    ...{ schema: 1, version: '0.0.0', engine: 'procs', command: ['make', '-j2'], cwd: FOLDER },
    ...{ startedAt, exit: { code: 0 }, state: 'complete' },
  };
  const timeline = buildTimeline(buildRecording(calls, processes), FOLDER);
  const findings = { ...detectRaces(timeline), hidden: 0 };
  const report = buildReport({ name: 'procs-1', info }, info.version, timeline, findings);
  const picture = drawProcesses(timeline, FOLDER, racingEvents(report.races));
  return { report, picture, sources: {}, notes: [], startedAt };
}
