import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import { encodeFileHeader } from '../../trace/chunk.ts';
import { Damage, DamagedTraceError } from '../../trace/damage.ts';
import { processFamily } from '../../trace/family.ts';
import { readTrace } from '../../trace/reader.ts';
import { TraceWriter } from '../../trace/writer.ts';
import { EventColumns } from '../model/event-columns.ts';
import { NONE, Op } from '../model/op.ts';
import { TraceTables } from '../model/tables.ts';
import { decodeEvents, encodeEvents } from './event-chunk.ts';
import { threadFamily } from './family.ts';
import { readThreadTrace } from './reader.ts';
import { decodeRows, encodeRows } from './row-chunk.ts';
import { ThreadTraceWriter } from './writer.ts';

const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-thread-damage-'));
const whole = join(folder, 'whole.bin');
const damaged = join(folder, 'damaged.bin');
afterAll(() => fs.rmSync(folder, { recursive: true }));

function fill(writer: ThreadTraceWriter): void {
  const { tables } = writer;
  const main = tables.threads.add({ name: 'main', process: 1, tid: 1 });
  tables.modules.add({ path: '/bin/queue', buildId: 'ab12', functionsTraced: 3 });
  for (let i = 0; i < 20; i++) {
    const variable = tables.variables.add({
      address: 0x7f0000000000 + 8 * i,
      size: 8,
      allocation: NONE,
      symbol: `v${i}`,
    });
    const site = tables.sites.add({ module: 0, address: i, function: 'f', file: 'a.c', line: i });
    writer.append(main, i % 2 === 0 ? Op.read : Op.write, variable, site);
  }
}

const writer = new ThreadTraceWriter(whole, { eventsPerChunk: 6 });
fill(writer);
writer.close({ droppedEvents: 0 });
const bytes = fs.readFileSync(whole);

function eventsIn(path: string, salvage = false) {
  const trace = readThreadTrace(path, { salvage });
  const events: number[][] = [];
  for (const { count, threads, ops, targets, sites } of trace.chunks()) {
    for (let i = 0; i < count; i++) events.push([threads[i]!, ops[i]!, targets[i]!, sites[i]!]);
  }
  return { events, trace };
}

const originals = eventsIn(whole).events;

/** Reading fails with advice; salvaging gives the first events, and tells what was lost. */
function expectPrefix(file: Buffer): void {
  fs.writeFileSync(damaged, file);
  let error: unknown;
  try {
    eventsIn(damaged);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(UserError);
  if (!(error instanceof DamagedTraceError)) return;
  const { events, trace } = eventsIn(damaged, true);
  expect(events).toEqual(originals.slice(0, events.length));
  expect(trace.loss).toEqual(error.loss);
  expect(trace.loss?.recordsBefore).toBe(events.length);
  expect(trace.totals).toBeUndefined();
  for (const [, , variable] of events) {
    expect(trace.tables.variables.row(variable!).symbol).toBe(`v${variable}`);
  }
}

describe('damage to a thread trace', () => {
  it('is noticed wherever a byte changed', () => {
    for (let at = 0; at < bytes.length; at++) {
      const file = Buffer.from(bytes);
      file[at]! ^= [0x01, 0x80, 0xff][at % 3]!;
      expectPrefix(file);
    }
  });

  it('is noticed wherever the file was cut', () => {
    for (let length = 0; length < bytes.length; length += 3) {
      expectPrefix(bytes.subarray(0, length));
    }
  });

  it('is told with its place, and so is a trace that was not finished', () => {
    const path = join(folder, 'unfinished.bin');
    const unfinished = new ThreadTraceWriter(path, { eventsPerChunk: 6 });
    fill(unfinished);
    unfinished.abandon();
    expect(() => eventsIn(path)).toThrow(/unfinished.bin: chunk \d+ at byte \d+: .* not finished/);
    expect(eventsIn(path, true).events).toEqual(originals.slice(0, 18));
  });
});

describe('forged contents', () => {
  const tables = new TraceTables();
  tables.threads.add({ name: 'main', process: 1, tid: 1 });
  tables.variables.add({ address: 1, size: 1, allocation: NONE, symbol: 'x' });
  const events = new EventColumns(10);
  for (let i = 0; i < 10; i++) events.append(0, Op.read, 0, NONE);
  const eventBytes = encodeEvents(events);
  const rowBytes = encodeRows(tables.variables.rows, 0, 1);
  const flips = (length: number) =>
    fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const changed = (contents: Buffer, changes: [number, number][]): Buffer => {
    const copy = Buffer.from(contents);
    for (const [at, value] of changes) copy[at] = value;
    return copy;
  };
  const orDamage = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      expect(error).toBeInstanceOf(Damage);
    }
  };

  it('give events that point to something, or damage', () => {
    fc.assert(
      fc.property(flips(eventBytes.length), fc.nat(12), (changes, count) => {
        const into = new EventColumns();
        orDamage(() => {
          decodeEvents(changed(eventBytes, changes), count, tables, into);
          for (let i = 0; i < into.count; i++) {
            tables.threads.row(into.threads[i]!);
            if (into.ops[i]! <= Op.atomicUpdate) tables.variables.row(into.targets[i]!);
          }
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('give rows that name something, or damage', () => {
    fc.assert(
      fc.property(flips(rowBytes.length), fc.nat(3), (changes, count) => {
        const into = new TraceTables();
        orDamage(() => decodeRows(changed(rowBytes, changes), count, into.variables));
        for (let i = 0; i < into.variables.count; i++) into.variables.row(i);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['thread', 1, Op.read, 0, NONE],
    ['kind', 0, 99, 0, NONE],
    ['nothing', 0, Op.read, 1, NONE],
    ['nothing', 0, Op.acquire, 0, NONE],
    ['place', 0, Op.read, 0, 0],
  ])('are not taken for events: an unknown %s', (what, thread, op, target, site) => {
    const one = new EventColumns(1);
    one.append(thread, op, target, site);
    expect(() => decodeEvents(encodeEvents(one), 1, tables, new EventColumns())).toThrow(what);
  });

  it('cannot ask for more rows than a chunk has', () => {
    const zeros = Buffer.alloc(4 * tables.variables.rows.width);
    expect(() => decodeRows(zeros, 0xffffffff, new TraceTables().variables)).toThrow(/impossible/);
  });
});

describe('another kind of file', () => {
  it('is not taken for a thread trace, nor one for a recording of processes', () => {
    const procs = join(folder, 'procs.bin');
    new TraceWriter(procs).close({ droppedEvents: 0 });
    expect(() => eventsIn(procs)).toThrow(/does not hold what was recorded of threads/);
    expect(() => [...readTrace(whole)]).toThrow(/does not hold what was recorded of processes/);
  });

  it('of a newer deadheat is named as such', () => {
    for (const family of [threadFamily, processFamily]) {
      const path = join(folder, `newer-${family.code}.bin`);
      fs.writeFileSync(path, encodeFileHeader({ ...family, formatVersion: 99 }));
      const read = (): unknown => (family === threadFamily ? eventsIn(path) : [...readTrace(path)]);
      expect(read).toThrow(/newer deadheat \(format 99, this one reads \d\)/);
    }
  });

  it('keeps the header that recordings of processes have always had', () => {
    const header = encodeFileHeader(processFamily);
    expect(header.readUInt32LE(8)).toBe(processFamily.formatVersion);
    expect(encodeFileHeader(threadFamily).readUInt32LE(8)).toBe(0x10001);
  });
});

it('a full disk is told once and again, and leaves whole chunks', () => {
  const path = join(folder, 'full.bin');
  let room = 900;
  const full = new ThreadTraceWriter(path, {
    eventsPerChunk: 6,
    write(fd, piece, offset, length, position) {
      if (room < length) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      room -= length;
      return fs.writeSync(fd, piece, offset, length, position);
    },
  });
  const attempt = (): void => fill(full);
  expect(attempt).toThrow(UserError);
  let error: unknown;
  try {
    full.close({ droppedEvents: 0 });
  } catch (thrown) {
    error = thrown;
  }
  expect((error as UserError).status).toBe(ExitStatus.unavailable);
  const { events, trace } = eventsIn(path, true);
  expect(events).toEqual(originals.slice(0, events.length));
  expect(trace.loss?.reason).toContain('not finished');
});
