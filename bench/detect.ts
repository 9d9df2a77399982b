/**
 * How long detection takes, and how that grows, on recordings that imitate a parallel build
 * (build-recording.ts). Wanted: a million calls of 5,000 processes in under 10 s and 2 GB, and growth
 * close to linear.
 */
import { detectRaces } from '../src/procs/detect/detect.ts';
import { buildTimeline } from '../src/procs/detect/timeline.ts';
import { buildRecording } from './build-recording.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { milliseconds } from './measure.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const MOST_PROCESSES = 5000;

export async function run(): Promise<void> {
  const rows: TableRow[] = [];
  let before: { calls: number; seconds: number } | undefined;
  for (const calls of SIZES) {
    const processes = Math.min(MOST_PROCESSES, calls / 100);
    const records = buildRecording(calls, processes);
    let races = 0;
    const seconds =
      milliseconds(() => {
        races = detectRaces(buildTimeline(records, '/build')).races.length;
      }) / 1000;
    const growth = before
      ? `n^${(Math.log(seconds / before.seconds) / Math.log(calls / before.calls)).toFixed(2)}`
      : '';
    const megabytes = process.memoryUsage().rss / 2 ** 20;
    rows.push({
      ...{ calls, processes, races, seconds: seconds.toFixed(2), growth },
      'MB in use': megabytes.toFixed(0),
    });
    before = { calls, seconds };
  }
  console.log(markdownTable(rows));
}
