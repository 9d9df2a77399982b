/**
 * A recording that imitates a parallel build: a parent that keeps two children running, each of which
 * reads shared headers, writes a file of its own, appends to one shared log, and is waited for.
 */
import { nanoseconds, pid, tid } from '../src/linux/ids.ts';
import { syscallNumber } from '../src/linux/syscalls.ts';
import type { CallRecord } from '../src/trace/records/call.ts';
import type { TraceRecord } from '../src/trace/records/record.ts';

const AT_ONCE = 2;
const HEADERS = 200;

export function buildRecording(calls: number, processes: number): TraceRecord[] {
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
