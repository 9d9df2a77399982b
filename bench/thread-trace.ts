/**
 * How fast thread traces are written, read, imported and exported, and how small they are. The trace is
 * synthetic-trace.ts's; a number of events may be given: `npm run bench -- thread-trace 10000000`.
 * Each way is measured in turn, by the processor time it takes, and its best round counts, since other
 * programs disturb.
 */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toOutput } from '../src/cli/text-output.ts';
import { Op } from '../src/threads/model/op.ts';
import type { ThreadTraceSource } from '../src/threads/model/trace.ts';
import { ThreadTrace } from '../src/threads/model/trace.ts';
import { exportStd } from '../src/threads/std/export.ts';
import { importStd } from '../src/threads/std/import.ts';
import { loadThreadTrace, readThreadTrace } from '../src/threads/storage/reader.ts';
import { ThreadTraceWriter } from '../src/threads/storage/writer.ts';
import { markdownTable } from './markdown-table.ts';
import { processorMilliseconds } from './measure.ts';
import { buildSynthetic, USUAL } from './synthetic-trace.ts';

const rounds = 3;

export async function run(words: readonly string[]): Promise<void> {
  const events = Number(words.find((word) => /^\d+$/.test(word)) ?? 1_000_000);
  const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const trace = join(folder, 'trace.bin');
  const text = join(folder, 'trace.std');
  const imported = join(folder, 'imported.bin');
  const memory = new ThreadTrace();
  buildSynthetic({ ...USUAL, events }, memory);
  const ways: Readonly<Record<string, () => void>> = {
    'written/s': () => write(memory, trace),
    'read/s': () => expectSame(writesIn(readThreadTrace(trace)), writesIn(memory)),
    'loaded/s': () => expectSame(loadThreadTrace(trace).length, events),
    'exported/s': () => toOutput(text, (some) => exportStd(readThreadTrace(trace), some)),
    'imported/s': () => expectSame(importInto(text, imported), events),
  };
  try {
    const best = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      fs.rmSync(trace, { force: true });
      fs.rmSync(imported, { force: true });
      for (const [name, act] of Object.entries(ways)) {
        best.set(
          name,
          Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, processorMilliseconds(act)),
        );
      }
    }
    const [ours, theirs] = [trace, text].map((file) => fs.statSync(file).size / events);
    const figures = new Map<string, number | string>([
      ...[...best].map(([name, ms]) => [name, Math.round((events / ms) * 1000)] as const),
      ['bytes each', ours!.toFixed(2)],
      ['bytes each, as STD text', theirs!.toFixed(2)],
      ['MB of memory, at most', Math.round(process.resourceUsage().maxRSS / 1024)],
    ]);
    const title = `${events.toLocaleString('en')} events`;
    const rows = [...figures].map(([what, figure]) => ({
      [title]: what,
      figure: typeof figure === 'number' ? figure.toLocaleString('en') : figure,
    }));
    console.log(markdownTable(rows));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** The tables are written anew, too. */
function write(memory: ThreadTrace, path: string): void {
  const writer = new ThreadTraceWriter(path);
  const { threads, locks, variables, sites } = memory.tables;
  for (let i = 0; i < threads.count; i++) writer.tables.threads.add(threads.row(i));
  for (let i = 0; i < locks.count; i++) writer.tables.locks.add(locks.row(i));
  for (let i = 0; i < variables.count; i++) writer.tables.variables.add(variables.row(i));
  for (let i = 0; i < sites.count; i++) writer.tables.sites.add(sites.row(i));
  for (const { count, threads, ops, targets, sites } of memory.chunks()) {
    for (let i = 0; i < count; i++) writer.append(threads[i]!, ops[i]!, targets[i]!, sites[i]!);
  }
  writer.close({ droppedEvents: 0 });
}

/** A loop as a detector has it. */
function writesIn(trace: ThreadTraceSource): number {
  let writes = 0;
  for (const { count, ops } of trace.chunks()) {
    for (let i = 0; i < count; i++) if (ops[i] === Op.write) writes++;
  }
  return writes;
}

function importInto(text: string, path: string): number {
  const writer = new ThreadTraceWriter(path);
  importStd(text, writer);
  writer.close({ droppedEvents: 0 });
  return writer.length;
}

function expectSame(seen: number, expected: number): void {
  if (seen !== expected) throw new Error(`${seen} instead of ${expected}`);
}
