import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { TraceWriter } from '../../../trace/writer.ts';
import { RECORDED_NUMBERS, recordedCall } from '../../model/recorded-calls.ts';
import { EventReader } from './event-reader.ts';
import {
  CallEvent,
  EventKind,
  FILE_IS_THERE,
  FileFields,
  Head,
  PathLength,
  TextEvent,
} from './layout.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-row-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ADDRESS = 0x7ffc_0000_1234n;
/** Descriptors, commands of fcntl and the like, AT_FDCWD, addresses of either half. */
const argument = fc.oneof(
  fc.bigInt(0n, 40n),
  fc.constantFrom(1024n, 1030n, 0xffff_ff9cn, -100n, -1n, ADDRESS),
);
const file = fc.record({
  id: fc.constantFrom(0n, -0x777f_0000_0000n),
  inode: fc.bigInt(0n, 1n << 40n),
  device: fc.constantFrom(1, 0x80_0001, 0xfd_12345),
  mode: fc.constantFrom(0, 0o040755, 0o100644, 0o140777, 0o010600),
  isThere: fc.boolean(),
});
const length = fc.oneof(
  fc.nat(20),
  fc.constantFrom(0, 0, 1, 255, PathLength.sentAhead, PathLength.unread),
);
const text = fc.array(fc.constantFrom(0x2f, 0x61, 0xe9, 0x2e), { minLength: 20, maxLength: 20 });

const call = fc.record({
  kind: fc.constant('call' as const),
  task: fc.constantFrom(7, 8),
  number: fc.constantFrom(...RECORDED_NUMBERS),
  result: fc.constantFrom(-2n, 0n, 3n, 8n),
  args: fc.array(argument, { minLength: 6, maxLength: 6 }),
  files: fc.tuple(file, file),
  lengths: fc.tuple(length, length),
  texts: fc.tuple(text, text),
  created: fc.nat(1),
  collected: fc.constantFrom(0, 8),
  dataLength: fc.constantFrom(0, 4, 13, 128),
  position: fc.constantFrom(-1n, 0n, 5000n),
});
const ahead = fc.record({
  kind: fc.constant('text' as const),
  task: fc.constantFrom(7, 8),
  index: fc.nat(1),
});
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;
type Ahead = typeof ahead extends fc.Arbitrary<infer T> ? T : never;

function callEvent(from: Call, sequence: number): Buffer {
  const event = Buffer.alloc(CallEvent.size);
  const [first, second] = from.lengths;
  event.writeUInt32LE(EventKind.call, Head.kind);
  event.writeUInt32LE(from.task, Head.task);
  event.writeUInt32LE(2 * sequence, CallEvent.entry);
  event.writeUInt32LE(2 * sequence + 1, Head.stamp);
  event.writeUInt32LE(1000 * sequence, CallEvent.enteredAt);
  event.writeUInt32LE(1000 * sequence + 300, Head.time);
  event.writeUInt32LE(from.number, CallEvent.number);
  event.writeUInt32LE(from.created, CallEvent.created);
  const isAddress = from.result > 0n && recordedCall(from.number)?.addressResult;
  event.writeBigInt64LE(isAddress ? ADDRESS : from.result, CallEvent.result);
  for (const [index, value] of from.args.entries()) {
    event.writeBigInt64LE(value, CallEvent.args + 8 * index);
  }
  for (const [index, at] of [CallEvent.file, CallEvent.file2].entries()) {
    const { id, inode, device, mode, isThere } = from.files[index]!;
    event.writeBigInt64LE(id, at + FileFields.id);
    event.writeBigInt64LE(inode, at + FileFields.inode);
    event.writeUInt32LE(device, at + FileFields.device);
    event.writeUInt32LE(mode | (isThere ? FILE_IS_THERE : 0), at + FileFields.mode);
  }
  event.writeUInt32LE(first, CallEvent.length);
  event.writeUInt32LE(second, CallEvent.length2);
  event.writeUInt32LE(from.collected, CallEvent.collected);
  event.writeUInt32LE(from.dataLength, CallEvent.dataLength);
  event.writeBigInt64LE(from.position, CallEvent.position);
  event.set(from.texts[0], CallEvent.path);
  event.set(from.texts[1], CallEvent.path2);
  return event;
}

function textEvent({ task, index }: Ahead): Buffer {
  const event = Buffer.alloc(TextEvent.size);
  event.writeUInt32LE(EventKind.text, Head.kind);
  event.writeUInt32LE(task, Head.task);
  event.writeUInt32LE(index, TextEvent.index);
  event.writeUInt32LE(5, TextEvent.length);
  event.write('long\0', TextEvent.text);
  return event;
}

let traces = 0;

/** The trace of these events, in bytes, and how many of them went the quick way. */
function traceOf(events: readonly Buffer[], quickly: boolean): { bytes: Buffer; rows: number } {
  const path = join(folder, `${++traces}`);
  const writer = new TraceWriter(path);
  const reader = new EventReader(0);
  let rows = 0;
  for (const { buffer, byteOffset, length } of events) {
    const view = new DataView(buffer, byteOffset, length);
    const isCall = view.getUint32(Head.kind, true) === EventKind.call;
    if (quickly && isCall && reader.row.take(view, 0)) {
      writer.appendCall(reader.row);
      rows++;
    } else for (const record of reader.read(view)) writer.append(record);
  }
  writer.close({ droppedEvents: 0 });
  const bytes = readFileSync(path);
  rmSync(path);
  return { bytes, rows };
}

it('writes the same bytes as by way of records', () => {
  let rows = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof({ arbitrary: call, weight: 8 }, ahead)), (described) => {
      const events = described.map((each, index) =>
        each.kind === 'call' ? callEvent(each, index) : textEvent(each),
      );
      const quick = traceOf(events, true);
      rows += quick.rows;
      expect(quick.bytes.equals(traceOf(events, false).bytes)).toBe(true);
    }),
    { numRuns: 1000 },
  );
  expect(rows).toBeGreaterThan(1000);
});
