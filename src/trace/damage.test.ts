import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { UserError } from '../base/user-error.ts';
import { nanoseconds, pid, tid } from '../linux/ids.ts';
import { ColumnReader } from './column-reader.ts';
import { Damage, DamagedTraceError } from './damage.ts';
import { readTrace } from './reader.ts';
import { RecordChunk, RecordCollector } from './record-chunk.ts';
import type { TraceRecord } from './records/record.ts';
import { decodeStrings, StringCollector } from './string-table.ts';
import { TraceWriter } from './writer.ts';

const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-damage-'));
const whole = join(folder, 'whole.bin');
const damaged = join(folder, 'damaged.bin');
afterAll(() => fs.rmSync(folder, { recursive: true }));

const records = Array.from({ length: 40 }, (_, i): TraceRecord => {
  const stamp = { sequence: i, time: nanoseconds(i * 1000), tid: tid(14) };
  if (i % 10 === 0) return { kind: 'start', ...stamp, pid: pid(14), how: 'root' };
  if (i % 10 === 1) return { kind: 'exec', ...stamp, path: '/bin/sh', commandLine: `sh\0${i}` };
  if (i % 10 === 2) return { kind: 'note', ...stamp, text: `note ${i}` };
  return {
    kind: 'call',
    tid: tid(14),
    number: 257,
    entry: i,
    exit: i + 1,
    enteredAt: nanoseconds(i * 1000),
    leftAt: nanoseconds(i * 1000 + 500),
    args: [-100, 0x7ffc00000000 + i, 0, 0, 0, 0],
    result: i % 3,
    path: `/tmp/${i % 7}`,
    file: { id: -0x777f00000000 - i, device: 2049, inode: i, mode: 0o100644 },
  };
});

const writer = new TraceWriter(whole, { recordsPerChunk: 12 });
for (const record of records) writer.append(record);
writer.close({ droppedEvents: 0 });
const bytes = fs.readFileSync(whole);
/** As the reader gives them: with all optional fields. */
const originals = [...readTrace(whole)];

/** Reading fails with advice; salvaging gives the first records, and tells what was lost. */
function expectPrefix(file: Buffer): void {
  fs.writeFileSync(damaged, file);
  let error: unknown;
  try {
    for (const _ of readTrace(damaged));
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).remedy).not.toBe('');
  if (!(error instanceof DamagedTraceError)) return;
  expect(error.remedy).toContain('--salvage');
  const salvaged = readTrace(damaged, { salvage: true });
  const prefix = [...salvaged];
  expect(prefix).toEqual(originals.slice(0, prefix.length));
  expect(salvaged.loss).toEqual(error.loss);
  expect(salvaged.loss?.recordsBefore).toBe(prefix.length);
  expect(salvaged.totals).toBeUndefined();
}

describe('damage', () => {
  it('is noticed wherever a byte changed', () => {
    for (let at = 0; at < bytes.length; at++) {
      const file = Buffer.from(bytes);
      file[at]! ^= [0x01, 0x80, 0xff][at % 3]!;
      expectPrefix(file);
    }
  });

  it('is noticed wherever the file was cut', () => {
    for (let length = 0; length < bytes.length; length++) expectPrefix(bytes.subarray(0, length));
  });

  it('is noticed when bytes are replaced, lost or added', () => {
    const edit = fc.record({
      at: fc.nat(bytes.length),
      lost: fc.nat(80),
      added: fc.uint8Array({ maxLength: 80 }),
    });
    fc.assert(
      fc.property(edit, ({ at, lost, added }) => {
        const file = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + lost)]);
        fc.pre(!file.equals(bytes));
        expectPrefix(file);
      }),
      { numRuns: 500 },
    );
  });

  it('says which file, which chunk, where, and what', () => {
    const [, , third] = chunkOffsets(bytes);
    const file = Buffer.from(bytes);
    file[third! + 30]! ^= 1;
    fs.writeFileSync(damaged, file);
    expect(() => [...readTrace(damaged)]).toThrow(
      `${damaged}: chunk 3 at byte ${third}: checksum differs`,
    );
    const salvaged = readTrace(damaged, { salvage: true });
    expect([...salvaged]).toHaveLength(12);
    expect(salvaged.loss).toMatchObject({ chunk: 3, bytesLost: bytes.length - third! });
  });

  it('is noticed when a whole chunk is missing or comes twice', () => {
    const [, second, third, fourth] = chunkOffsets(bytes);
    const without = [bytes.subarray(0, second), bytes.subarray(third)];
    const twice = [bytes.subarray(0, fourth), bytes.subarray(third)];
    for (const pieces of [without, twice]) {
      fs.writeFileSync(damaged, Buffer.concat(pieces));
      expect(() => [...readTrace(damaged)]).toThrow(/here is chunk 3 instead/);
    }
  });

  it('in a forged length does not set memory aside', () => {
    for (const field of [8, 12, 16]) {
      const file = Buffer.from(bytes);
      file.writeUInt32LE(0xfffffff0, 16 + field);
      file.writeUInt32LE(crc32(file.subarray(16, 40)), 40);
      const allocations = vi.spyOn(Buffer, 'allocUnsafe');
      expectPrefix(file);
      for (const [size] of allocations.mock.calls) expect(size).toBeLessThan(100_000);
      allocations.mockRestore();
      expect(() => [...readTrace(damaged)]).toThrow(/impossible|cut short|4294967280 strings/);
    }
  });
});

describe('forged contents', () => {
  const strings = new StringCollector();
  const collector = new RecordCollector(records.length, strings);
  for (const record of records) collector.add(record);
  const chunk = collector.take();
  const table = strings.take();
  const flips = (length: number) =>
    fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });

  it('give records or damage, nothing else', () => {
    const texts = decodeStrings(table.contents, table.count);
    fc.assert(
      fc.property(flips(chunk.contents.length), (changes) => {
        const contents = changed(chunk.contents, changes);
        orDamage(() => {
          const read = new RecordChunk(contents, chunk.count, texts);
          while (read.left > 0) read.next();
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('give strings or damage, nothing else', () => {
    fc.assert(
      fc.property(flips(table.contents.length), (changes) => {
        orDamage(() => decodeStrings(changed(table.contents, changes), table.count));
      }),
    );
  });

  it('of the wrong length are noticed', () => {
    const longer = Buffer.concat([table.contents, Buffer.from('x')]);
    expect(() => decodeStrings(longer, table.count)).toThrow(/1 bytes after the last string/);
    expect(() => new RecordChunk(Buffer.concat([chunk.contents, longer]), chunk.count, [])).toThrow(
      /bytes after the last record/,
    );
    const column = Buffer.from([1, 0, 0, 0, 2, 0, 0, 0, 7, 7, 7]);
    const uneven = new ColumnReader(column, 0, 2);
    uneven.beginRow();
    expect(() => uneven.finish()).toThrow(/a column without the length of its table/);
  });

  function changed(contents: Buffer, changes: [number, number][]): Buffer {
    const copy = Buffer.from(contents);
    for (const [at, value] of changes) copy[at] = value;
    return copy;
  }

  function orDamage(act: () => void): void {
    try {
      act();
    } catch (error) {
      expect(error).toBeInstanceOf(Damage);
    }
  }
});

describe('what is no recording', () => {
  const file = join(folder, 'other');
  const refusal = (contents: string | Buffer) => {
    fs.writeFileSync(file, contents);
    return () => [...readTrace(file, { salvage: true })];
  };

  it('is refused, even for salvage', () => {
    expect(refusal('')).toThrow(/is empty/);
    expect(refusal('#!/bin/sh\necho')).toThrow(/is not a recording/);
    expect(() => [...readTrace(folder)]).toThrow(/is a directory/);
    expect(() => [...readTrace(join(folder, 'absent'))]).toThrow(/cannot be read: ENOENT/);
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => [...readTrace(pipe)]).toThrow(/is no regular file/);
  });

  it('is refused if it is of a newer format', () => {
    const newer = Buffer.from(bytes);
    newer.writeUInt32LE(9, 8);
    newer.writeUInt32LE(crc32(newer.subarray(0, 12)), 12);
    expect(refusal(newer)).toThrow('newer deadheat (format 9, this one reads 3)');
  });
});

/** Where each chunk starts, from the lengths in their headers. */
function chunkOffsets(file: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = 16; at < file.length; at += 28 + file.readUInt32LE(at + 12)) offsets.push(at);
  return offsets;
}
