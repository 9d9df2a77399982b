/**
 * Recordings that are not as they should be: cut off at the start, with numbers used again, without
 * what a recorder could not find out, in an odd order. They may hide races, but never end detection.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../base/bytes.ts';
import { nanoseconds, pid, tid } from '../../linux/ids.ts';
import { SYSCALL_NAMES } from '../../linux/syscalls.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { RECORDED_CALLS } from '../model/recorded-calls.ts';
import { buildReport } from '../report.ts';
import { callRecord, Script } from '../testdata/records.ts';
import { detectRaces } from './detect.ts';
import { buildTimeline } from './timeline.ts';

function detect(records: readonly TraceRecord[]) {
  const timeline = buildTimeline(records, '/');
  const detection = detectRaces(timeline);
  const info = { version: '0', engine: 'procs', command: ['x'], cwd: '/' } as const;
  const run = { name: 'procs-1', info: { ...info, command: ['x'], recorder: 'bpf' as const } };
  return buildReport(run as never, '0', timeline, { ...detection, hidden: 0 });
}

const number = fc.oneof(fc.nat(6), fc.constantFrom(-1, -100, 1 << 31, 2 ** 40));
const task = fc.integer({ min: 1, max: 5 });
const file: fc.Arbitrary<KernelFile> = fc.record({
  id: fc.nat(3),
  device: fc.nat(1),
  inode: fc.nat(4),
  mode: fc.constantFrom(0, 0o010600, 0o020600, 0o040755, 0o100644, 0o120777, 0o140777),
});
const path = fc.constantFrom('', '/', 'a', '/a', 'd/b', '/proc/2/status', '/proc/self/fd/3', '..');
const data = fc.uint8Array({ maxLength: 40 }).map((bytes) => decodeBytes(bytes));

const call = fc
  .record(
    {
      task,
      name: fc.constantFrom(...Object.keys(RECORDED_CALLS), ...SYSCALL_NAMES.slice(0, 20)),
      at: fc.nat(200),
      lasts: fc.nat(20),
      args: fc.array(number, { maxLength: 6 }),
      result: fc.oneof(fc.constantFrom(0, 1, 2, 5, -2, -10, -17, -115), number),
      reaped: task.map(pid),
      path,
      path2: path,
      file,
      file2: file,
      created: fc.boolean(),
      position: fc.nat(9),
      data,
    },
    { requiredKeys: ['task', 'name', 'at', 'lasts', 'args', 'result'] },
  )
  .map(
    ({ task: caller, name, at, lasts, path: named, ...details }): TraceRecord => ({
      ...callRecord(caller, name, named, details, at),
      exit: at + lasts,
    }),
  );

const stamp = { sequence: fc.nat(200), time: fc.constant(nanoseconds(0)) };
const records = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: call },
    {
      weight: 2,
      arbitrary: fc.record({
        ...{ kind: fc.constant('start' as const), ...stamp, tid: task.map(tid) },
        pid: task.map(pid),
        parentTid: fc.option(fc.nat(5).map(tid), { nil: undefined }),
        how: fc.constantFrom('root' as const, 'fork' as const, 'vfork' as const, 'thread' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...{ kind: fc.constant('exit' as const), ...stamp, tid: task.map(tid) },
        status: fc.constantFrom(0, 256, 9),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...{ kind: fc.constant('exec' as const), ...stamp, tid: task.map(tid) },
        path: fc.constantFrom('', '/bin/x'),
        commandLine: fc.constantFrom('', 'x', 'x\0y'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...{ kind: fc.constant('signal' as const), ...stamp, from: fc.nat(5).map(tid) },
        ...{ to: task.map(tid), signal: fc.constantFrom(1, 10, 17, 34, 64) },
        phase: fc.constantFrom('sent' as const, 'delivered' as const, 'interrupting' as const),
      }),
    },
  ),
  { maxLength: 60, size: 'max' },
);

describe('odd recordings', () => {
  it('never end detection', () => {
    let found = 0;
    fc.assert(
      fc.property(records, (odd) => {
        found += detect(odd as TraceRecord[]).races.length;
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(30);
  });

  it('may begin in the middle: any rest of a recording can be read', () => {
    const { records: whole } = new Script()
      .makePipe(1, 7)
      .fork(1, 2)
      .fork(1, 3)
      .thread(2, 4)
      .write(2, '/f')
      .write(3, '/f')
      .send(4, 7)
      .kill(3, 2)
      .signal(3, 2)
      .exit(4)
      .exit(2)
      .receive(1, 7)
      .wait(1, 2)
      .exit(3)
      .wait(1, 3)
      .exit(1);
    for (let from = 0; from < whole.length; from++) {
      expect(detect(whole.slice(from)).schema).toBe(1);
      expect(detect(whole.slice(0, from)).schema).toBe(1);
    }
    expect(detect(whole).races.length).toBeGreaterThan(0);
  });
});
