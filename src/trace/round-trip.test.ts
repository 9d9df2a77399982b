import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeBytes } from '../base/bytes.ts';
import { nanoseconds, pid, tid } from '../linux/ids.ts';
import { ColumnReader } from './column-reader.ts';
import { decodeFiles, FileCollector, fileTableWidth } from './file-table.ts';
import { readTrace } from './reader.ts';
import type { CallRecord } from './records/call.ts';
import { FieldReader, FieldWriter } from './records/fields.ts';
import type { TraceRecord } from './records/record.ts';
import { kindOfCode, recordKinds } from './records/record.ts';
import type { StartRecord } from './records/start.ts';
import { StringCollector } from './string-table.ts';
import { TraceWriter } from './writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-trace-'));
let files = 0;
const newFile = () => join(folder, `${++files}.bin`);
afterAll(() => rmSync(folder, { recursive: true }));

const u32 = fc.oneof(fc.constantFrom(0, 1, 127, 128, 2 ** 31, 2 ** 32 - 1), fc.nat());
const exact = fc.oneof(
  fc.constantFrom(0, 127, 128, 2 ** 30, 2 ** 31, 2 ** 32, 2 ** 52, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat(),
);
/** What Number(BigInt.asIntN(64, …)) can give, beyond 2^53 too. */
const i64 = fc.oneof(
  exact,
  exact.map((value) => 0 - value),
  fc.constantFrom(-1, -100, -(2 ** 30), -(2 ** 31), -(2 ** 32), -(2 ** 63), 2 ** 63),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(Number),
);
const task = u32.map(tid);
const parent = fc.integer({ min: 1, max: 2 ** 22 }).map(tid);
const stamp = { sequence: exact, time: exact.map(nanoseconds), tid: task };
const text = fc.uint8Array({ maxLength: 12 }).map(decodeBytes);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const file = fc.record({ id: i64, device: i64, inode: fc.oneof(fc.nat(3), i64), mode: u32 });

const anyRecord: fc.Arbitrary<TraceRecord> = fc.oneof(
  fc.record({
    kind: fc.constant('start' as const),
    ...stamp,
    pid: u32.map(pid),
    parentTid: maybe(parent),
    how: fc.constantFrom('root' as const, 'fork' as const, 'vfork' as const, 'thread' as const),
    cloneFlags: maybe(i64),
    ownPid: maybe(fc.integer({ min: 1, max: 2 ** 22 }).map(pid)),
  }),
  fc.record({ kind: fc.constant('exec' as const), ...stamp, path: text, commandLine: text }),
  fc.record({
    kind: fc.constant('call' as const),
    tid: task,
    number: u32,
    entry: exact,
    exit: exact,
    enteredAt: exact.map(nanoseconds),
    leftAt: exact.map(nanoseconds),
    args: fc.array(i64, { minLength: 6, maxLength: 6 }),
    result: i64,
    path: maybe(text),
    path2: maybe(text),
    reaped: maybe(fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(pid)),
    file: maybe(file),
    file2: maybe(file),
    position: maybe(fc.integer({ min: 0, max: 2 ** 52 })),
    data: maybe(text),
  }),
  fc.record({ kind: fc.constant('exit' as const), ...stamp, status: u32 }),
  fc.record({
    kind: fc.constant('signal' as const),
    sequence: exact,
    time: stamp.time,
    from: task,
    to: task,
    signal: u32,
    phase: fc.constantFrom('sent' as const, 'delivered' as const, 'interrupting' as const),
  }),
  fc.record({ kind: fc.constant('note' as const), ...stamp, text }),
  fc.record({ kind: fc.constant('input' as const), ...stamp, data: text }),
  fc.record({
    kind: fc.constantFrom('received' as const, 'sent' as const),
    ...stamp,
    socket: exact,
    data: text,
  }),
);

function write(records: readonly TraceRecord[], recordsPerChunk: number): string {
  const path = newFile();
  const writer = new TraceWriter(path, { recordsPerChunk });
  for (const record of records) writer.append(record);
  writer.close({ droppedEvents: 0 });
  return path;
}

describe('a recording', () => {
  it('gives back all records of all kinds, in their order', () => {
    fc.assert(
      fc.property(
        fc.array(anyRecord, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (records, recordsPerChunk) => {
          const trace = readTrace(write(records, recordsPerChunk));
          expect([...trace]).toEqual(records);
          expect(trace.totals).toEqual({ records: records.length, droppedEvents: 0 });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('keeps an absent path apart from an empty one, and pads missing arguments', () => {
    const call = {
      kind: 'call' as const,
      tid: tid(1),
      number: 0,
      entry: 1,
      exit: 2,
      enteredAt: nanoseconds(0),
      leftAt: nanoseconds(0),
      args: [3],
      result: -2,
    };
    const [without, empty] = readTrace(write([call, { ...call, path: '' }], 8));
    expect(without).toEqual({ ...call, args: [3, 0, 0, 0, 0, 0] });
    expect(empty).toEqual({ ...call, args: [3, 0, 0, 0, 0, 0], path: '' });
  });

  it('stores each string once', () => {
    const note = (sequence: number): TraceRecord => ({
      kind: 'note',
      sequence,
      time: nanoseconds(0),
      tid: tid(1),
      text: 'x'.repeat(100_000).replace(/x/g, () => String.fromCharCode(32 + Math.random() * 95)),
    });
    const same = note(0);
    const once = statSync(write([same], 1)).size;
    const often = statSync(
      write(
        Array.from({ length: 20 }, () => same),
        1,
      ),
    ).size;
    expect(often).toBeLessThan(once + 20 * 200);
  });

  it('can be read while it is being written, up to the last flush', () => {
    const path = newFile();
    const writer = new TraceWriter(path);
    const exit: TraceRecord = {
      kind: 'exit',
      sequence: 1,
      time: nanoseconds(1),
      tid: tid(1),
      status: 0,
    };
    writer.append(exit);
    writer.flush();
    writer.append(exit);
    const unfinished = readTrace(path, { salvage: true });
    expect([...unfinished]).toEqual([exit]);
    expect(unfinished.loss?.reason).toBe('the recording was not finished');
    writer.close({ droppedEvents: 3, interrupted: 'Ctrl-C' });
    const finished = readTrace(path);
    expect([...finished]).toEqual([exit, exit]);
    expect(finished.totals).toEqual({ records: 2, droppedEvents: 3, interrupted: 'Ctrl-C' });
  });

  it('refuses numbers that it could not give back', () => {
    const exit = (changes: object) =>
      ({ kind: 'exit', sequence: 1, time: 1, tid: 1, status: 0, ...changes }) as TraceRecord;
    const bad = [
      { sequence: 2 ** 53 },
      { time: 0.5 },
      { tid: -1 },
      { status: 2 ** 32 },
      { tid: NaN },
    ];
    for (const changes of bad) {
      const writer = new TraceWriter(newFile());
      expect(() => writer.append(exit(changes))).toThrow(/a (number|time|sequence number) that/);
      expect(() => writer.append(exit({}))).toThrow(/that/);
      expect(() => writer.close({ droppedEvents: 0 })).toThrow(/that/);
    }
  });
});

it('has a code of its own for each kind', () => {
  const codes = recordKinds.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(code).toSatisfy((c: number) => c >= 1 && c <= 255);
});

it('still reads what format 1 had of calls and starts', () => {
  const strings = new StringCollector();
  const call: CallRecord = {
    kind: 'call',
    tid: tid(7),
    number: 0,
    entry: 1,
    exit: 2,
    enteredAt: nanoseconds(3),
    leftAt: nanoseconds(4),
    args: [1, 2, 3, 4, 5, 6],
    result: -2,
    path: 'x',
    file: { id: -5, device: 1, inode: 2, mode: 3 },
  };
  const start: StartRecord = {
    kind: 'start',
    sequence: 1,
    time: nanoseconds(1),
    tid: tid(7),
    pid: pid(7),
    how: 'root',
  };
  for (const [code, record] of [
    [3, call],
    [1, start],
  ] as const) {
    const files = new FileCollector(2);
    const kind = kindOfCode[code]!;
    const table = new FieldWriter(kind.width, 1, strings, files);
    kind.encode(record, table);
    table.endRow();
    const written = files.take();
    const read = new FieldReader(
      table.take(),
      0,
      kind.width,
      ['x'],
      decodeFiles(new ColumnReader(written.table, 0, fileTableWidth), written.count),
    );
    read.beginRow();
    expect(kind.decode(read)).toEqual(record);
  }
});
