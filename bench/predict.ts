/**
 * How fast races are predicted, rung by rung, and how that grows with the trace. The trace is
 * synthetic-trace.ts's: 8 threads, 16 locks, 5 % acquires. Each row is a process of its own, so that its
 * memory is its own, which looks at a smaller trace first, so that its code is warm; the best of three
 * rounds (one, if it is long) by processor time counts, since other programs disturb.
 *
 *   growth   n^1.00 is linear, from the row before
 *   memory   the most that the process had, with the trace
 *   pairs    what was found, folded by variable and sites
 *
 * From 10,000 to 10,000,000 events; other numbers of events may be given: `npm run bench -- predict 1000000`.
 */
import { spawnSync } from 'node:child_process';
import { ThreadTrace } from '../src/threads/model/trace.ts';
import { Candidates } from '../src/threads/predict/candidates/candidates.ts';
import { HappensBeforeRung } from '../src/threads/predict/happens-before.ts';
import { predict } from '../src/threads/predict/predict.ts';
import { SyncPreservingRung } from '../src/threads/predict/sync-preserving/rung.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { processorMilliseconds } from './measure.ts';
import { buildSynthetic, USUAL } from './synthetic-trace.ts';

const USUAL_SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const WARM_UP = 200_000;
const ROUNDS = 3;
/** From so many events on, one round is enough. */
const LONG = 5_000_000;

/** Each walks over a trace and returns how many pairs it found. */
const ways: Readonly<Record<string, (trace: ThreadTrace) => number>> = {
  'happens-before': (trace) => {
    const rung = new HappensBeforeRung(trace);
    for (const chunk of trace.chunks()) rung.look(chunk);
    return rung.found.count;
  },
  'sync-preserving': (trace) => {
    const rung = new SyncPreservingRung(trace);
    for (const chunk of trace.chunks()) rung.look(chunk);
    return rung.found.count;
  },
  candidates: (trace) => {
    const candidates = new Candidates(trace);
    for (const chunk of trace.chunks()) candidates.look(chunk);
    return [...candidates.all()].length;
  },
  'all at once': (trace) => predict(trace).races.length,
};

interface Row {
  readonly milliseconds: number;
  readonly pairs: number;
  readonly megabytes: number;
}

export async function run(words: readonly string[]): Promise<void> {
  const given = words.filter((word) => /^\d+$/.test(word)).map(Number);
  const sizes = given.length > 0 ? given : USUAL_SIZES;
  const rows: TableRow[] = [];
  for (const way of Object.keys(ways)) {
    let before: { size: number; milliseconds: number } | undefined;
    for (const size of sizes) {
      const { milliseconds, pairs, megabytes } = inOwnProcess(way, size);
      const growth =
        before && Math.log(milliseconds / before.milliseconds) / Math.log(size / before.size);
      before = { size, milliseconds };
      rows.push({
        rung: way,
        events: size,
        'events/s': ((size / milliseconds) * 1000).toFixed(0),
        growth: growth === undefined ? '' : `n^${growth.toFixed(2)}`,
        'memory MB': megabytes,
        pairs,
      });
    }
  }
  console.log(markdownTable(rows));
}

function inOwnProcess(way: string, size: number): Row {
  const script = `import { printRow } from ${JSON.stringify(import.meta.url)}; printRow(...process.argv.slice(1));`;
  const args = ['--input-type=module', '-e', script, way, String(size)];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Row;
}

/** What the process of a row does. */
export function printRow(way: string, size: string): void {
  const walk = ways[way]!;
  walk(traceOf(Math.min(WARM_UP, Number(size))));
  const trace = traceOf(Number(size));
  let pairs = 0;
  let milliseconds = Number.POSITIVE_INFINITY;
  const rounds = Number(size) >= LONG ? 1 : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    const spent = processorMilliseconds(() => {
      pairs = walk(trace);
    });
    milliseconds = Math.min(milliseconds, spent);
  }
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ milliseconds, pairs, megabytes }));
}

function traceOf(events: number): ThreadTrace {
  const trace = new ThreadTrace();
  buildSynthetic({ ...USUAL, events }, trace);
  return trace;
}
