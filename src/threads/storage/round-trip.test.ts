import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { EVENTS_PER_CHUNK } from '../model/event-columns.ts';
import { NONE, Op, opCount, opNames, targetKinds } from '../model/op.ts';
import { LOCK_KINDS } from '../model/tables.ts';
import { ThreadTrace, type ThreadTraceBuilder } from '../model/trace.ts';
import { loadThreadTrace, readThreadTrace } from './reader.ts';
import { ThreadTraceWriter } from './writer.ts';

const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-thread-trace-'));
const file = join(folder, 'trace.bin');
afterAll(() => fs.rmSync(folder, { recursive: true }));

const number = fc.maxSafeNat();
const text = fc.oneof(fc.string(), fc.constant('caf\udce9'), fc.constant('größer'));

/** Rows that name rows of other tables are given an index that is taken modulo what is there. */
const content = fc.record({
  modules: fc.array(fc.record({ path: text, buildId: text, functionsTraced: number })),
  skipped: fc.array(fc.record({ module: fc.nat(), reason: text, functions: number })),
  threads: fc.array(fc.record({ name: text, process: number, tid: number }), { minLength: 1 }),
  locks: fc.array(
    fc.record({ kind: fc.constantFrom(...LOCK_KINDS), address: number, symbol: text }),
    { minLength: 1 },
  ),
  allocations: fc.array(fc.record({ address: number, size: number }), { minLength: 1 }),
  variables: fc.array(
    fc.record({ address: number, size: number, allocation: fc.nat(), symbol: text }),
    { minLength: 1 },
  ),
  sites: fc.array(
    fc.record({
      module: fc.nat(),
      address: fc.oneof(number, fc.integer()),
      function: text,
      file: text,
      line: number,
    }),
    { minLength: 1 },
  ),
  events: fc.array(fc.tuple(fc.nat(), fc.nat(opCount - 1), fc.nat(), fc.nat()), { maxLength: 50 }),
});
type Content = typeof content extends fc.Arbitrary<infer T> ? T : never;

/** One of `count`, or NONE: also if there are none at all. */
const among = (count: number, pick: number): number => {
  const chosen = pick % (count + 1);
  return chosen === count ? NONE : chosen;
};

function build(some: Content, into: ThreadTraceBuilder, flush = () => {}): void {
  const { tables } = into;
  for (const row of some.modules) tables.modules.add(row);
  for (const row of some.threads) tables.threads.add(row);
  for (const row of some.locks) tables.locks.add(row);
  for (const row of some.allocations) tables.allocations.add(row);
  const halfway = some.events.length >> 1;
  for (const [i, [thread, op, target, site]] of some.events.entries()) {
    if (i === halfway) flush();
    // Some rows come between events, when they are first needed.
    const variable = some.variables[tables.variables.count];
    if (variable) {
      const allocation = among(tables.allocations.count, variable.allocation);
      tables.variables.add({ ...variable, allocation });
    }
    const place = some.sites[tables.sites.count];
    if (place) tables.sites.add({ ...place, module: among(tables.modules.count, place.module) });
    const targets = tables.targetCounts[targetKinds[op]!];
    const where = among(tables.sites.count, site);
    into.append(thread % tables.threads.count, op, target % targets, where);
  }
  for (const row of some.skipped) {
    tables.skipped.add({ ...row, module: among(tables.modules.count, row.module) });
  }
}

function flatten(trace: ThreadTrace) {
  const { tables } = trace;
  const events = Array.from({ length: trace.length }, (_, i) => [
    trace.threadAt(i),
    trace.opAt(i),
    trace.targetAt(i),
    trace.siteAt(i),
  ]);
  const rows = tables.all.map((table) =>
    Array.from({ length: table.count }, (_, i) => table.row(i)),
  );
  return { events, rows };
}

describe('a thread trace', () => {
  it('is read as it was written, in chunks of any size', () => {
    fc.assert(
      fc.property(content, fc.integer({ min: 1, max: 60 }), (some, eventsPerChunk) => {
        const original = new ThreadTrace();
        build(some, original);
        fs.rmSync(file, { force: true });
        const writer = new ThreadTraceWriter(file, { eventsPerChunk });
        build(some, writer, () => writer.flush());
        expect(writer.length).toBe(some.events.length);
        writer.close({ droppedEvents: 3, interrupted: 'SIGINT' });
        expect(flatten(loadThreadTrace(file))).toEqual(flatten(original));
        const read = readThreadTrace(file);
        for (const _ of read.chunks());
        const { length: records } = some.events;
        expect(read.totals).toEqual({ records, droppedEvents: 3, interrupted: 'SIGINT' });
      }),
    );
  });

  it('may be longer than a chunk, in memory and on disk, with numbers of 32 bits', () => {
    const original = new ThreadTrace();
    const writer = new ThreadTraceWriter(join(folder, 'long.bin'));
    for (const trace of [original, writer]) {
      for (let i = 0; i < 300; i++) trace.tables.threads.add({ name: '', process: 1, tid: i });
      for (let i = 0; i < 70_000; i++) {
        trace.tables.variables.add({ address: i, size: 1, allocation: NONE, symbol: '' });
      }
      for (let i = 0; i < EVENTS_PER_CHUNK * 2.5; i++) {
        trace.append(i % 300, i % 3 === 0 ? Op.write : Op.read, (i * 7) % 70_000, NONE);
      }
    }
    writer.close({ droppedEvents: 0 });
    const loaded = loadThreadTrace(join(folder, 'long.bin'));
    expect(loaded.length).toBe(EVENTS_PER_CHUNK * 2.5);
    for (const [i, chunk] of loaded.chunks().entries()) {
      const expected = original.chunks()[i]!;
      expect(chunk.count).toBe(expected.count);
      for (const column of ['threads', 'ops', 'targets', 'sites'] as const) {
        expect(Buffer.from(chunk[column].buffer).equals(Buffer.from(expected[column].buffer))).toBe(
          true,
        );
      }
    }
    expect(loaded.tables.variables.row(69_999)).toEqual(original.tables.variables.row(69_999));
  });

  it('can be empty, and read twice', () => {
    const path = join(folder, 'empty.bin');
    new ThreadTraceWriter(path).close({ droppedEvents: 0 });
    const trace = readThreadTrace(path);
    expect([...trace.chunks()]).toEqual([]);
    expect([...trace.chunks()]).toEqual([]);
    expect(trace.totals).toEqual({ records: 0, droppedEvents: 0 });
  });
});

it('every op has a number, a name and a target of its own', () => {
  expect(Object.values(Op).toSorted((a, b) => a - b)).toEqual([...Array(opCount).keys()]);
  const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
  for (const [name, op] of Object.entries(Op)) expect(opNames[op]).toBe(dashed(name));
});
