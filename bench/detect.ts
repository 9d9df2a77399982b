/**
 * How long detection takes, and how that grows, on recordings that imitate a parallel build: a
 * parent that keeps two children running, each of which reads shared headers, writes a file of its
 * own, appends to one shared log, and is waited for. Wanted: a million calls of 5,000 processes in
 * under 10 s and 2 GB, and growth close to linear.
 */
import { nanoseconds, pid, tid } from '../src/linux/ids.ts';
import { syscallNumber } from '../src/linux/syscalls.ts';
import { detectRaces } from '../src/procs/detect/detect.ts';
import { buildTimeline } from '../src/procs/detect/timeline.ts';
import type { CallRecord } from '../src/trace/records/call.ts';
import type { TraceRecord } from '../src/trace/records/record.ts';
import { milliseconds } from './measure.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const MOST_PROCESSES = 5000;
const AT_ONCE = 2;
const HEADERS = 200;

export async function run(): Promise<void> {
  console.log('calls    processes  races  seconds  growth  MB in use');
  let before: { calls: number; seconds: number } | undefined;
  for (const calls of SIZES) {
    const processes = Math.min(MOST_PROCESSES, calls / 100);
    const records = recording(calls, processes);
    let races = 0;
    const seconds =
      milliseconds(() => {
        races = detectRaces(buildTimeline(records, '/build')).races.length;
      }) / 1000;
    const growth = before
      ? `n^${(Math.log(seconds / before.seconds) / Math.log(calls / before.calls)).toFixed(2)}`
      : '';
    const megabytes = process.memoryUsage().rss / 2 ** 20;
    console.log(
      `${`${calls}`.padEnd(8)} ${`${processes}`.padStart(9)} ${`${races}`.padStart(6)} ` +
        `${seconds.toFixed(2).padStart(8)}  ${growth.padEnd(6)}  ${megabytes.toFixed(0)}`,
    );
    before = { calls, seconds };
  }
}

function recording(calls: number, processes: number): TraceRecord[] {
  const records: TraceRecord[] = [];
  let sequence = 0;
  const stamp = () => ({ sequence: ++sequence, time: nanoseconds(sequence) });
  const call = (task: number, name: string, details: Partial<CallRecord>): void => {
    records.push({
      kind: 'call',
      tid: tid(task),
      number: syscallNumber(name),
      entry: ++sequence,
      exit: ++sequence,
      enteredAt: nanoseconds(sequence),
      leftAt: nanoseconds(sequence),
      args: [-100, 0, 0, 0, 0, 0],
      result: 3,
      ...details,
    });
  };
  const file = (inode: number) => ({ id: 0, device: 1, inode, mode: 0o100644 });
  const start = (task: number, parent: number, how: 'root' | 'fork'): void => {
    const birth = { tid: tid(task), pid: pid(task), parentTid: tid(parent), how, cloneFlags: 0 };
    records.push({ kind: 'start', ...stamp(), ...birth });
  };
  start(1, 0, 'root');
  const perProcess = Math.floor(calls / processes) - 1;
  for (let child = 2; child < processes + 2; child++) {
    start(child, 1, 'fork');
    records.push({ kind: 'exec', ...stamp(), tid: tid(child), path: '/bin/cc', commandLine: 'cc' });
    const output = 10_000 + child;
    call(child, 'openat', { path: `out/${child}.o`, created: true, file2: file(output) });
    call(child, 'openat', { path: 'log', file2: file(9) });
    for (let i = 2; i < perProcess; i += 3) {
      const header = (child * 7 + i) % HEADERS;
      call(child, 'openat', { path: `/include/${header}.h`, file2: file(100 + header) });
      call(child, 'read', { file: file(100 + header), result: 4096 });
      call(child, 'write', { file: file(output), result: 4096 });
    }
    call(child, 'write', { file: file(9), result: 20 });
    records.push({ kind: 'exit', ...stamp(), tid: tid(child), status: 0 });
    const oldest = child - AT_ONCE + 1;
    if (oldest >= 2) call(1, 'wait4', { result: oldest, reaped: pid(oldest) });
  }
  return records;
}
