/**
 * How fast recordings are written and read, and how small they are, against JSON lines with the
 * same records in the same run. The records imitate a parallel build: 50 tasks in bursts, 30
 * different system calls (some far more frequent than others), 2,000 paths, a few hundred open
 * files. The same 20,000 records are written again and again; that is more than a chunk holds, so
 * compression does not see them twice. Each side is measured in turn, and its best round counts, since
 * other programs disturb.
 *
 *   ratio   JSON lines' time, or size, divided by ours: more is better for us
 */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateRawSync } from 'node:zlib';
import { nanoseconds, tid } from '../src/linux/ids.ts';
import { readTrace } from '../src/trace/reader.ts';
import { RecordCollector } from '../src/trace/record-chunk.ts';
import type { CallRecord } from '../src/trace/records/call.ts';
import type { KernelFile } from '../src/trace/records/kernel-file.ts';
import { StringCollector } from '../src/trace/string-table.ts';
import { TraceWriter } from '../src/trace/writer.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { milliseconds } from './measure.ts';

const distinct = 20_000;
const repeats = 15;
const count = distinct * repeats;
const rounds = 12;

export async function run(): Promise<void> {
  const records = build(distinct);
  const folder = fs.mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const [trace, lines] = [join(folder, 'trace.bin'), join(folder, 'trace.jsonl')];
  const best = { write: Infinity, read: Infinity, writeLines: Infinity, readLines: Infinity };
  const measure = (what: keyof typeof best, act: () => void): void => {
    const began = performance.now();
    act();
    best[what] = Math.min(best[what], performance.now() - began);
  };
  try {
    for (let round = 0; round < rounds; round++) {
      fs.rmSync(trace, { force: true });
      measure('write', () => writeTrace(trace, records));
      measure('read', () => readAll(trace));
      measure('writeLines', () => writeLines(lines, records));
      measure('readLines', () => readLines(lines));
    }
    const [size, linesSize] = [fs.statSync(trace).size, fs.statSync(lines).size];
    const rows = [
      row(
        'written/s',
        perSecond(best.write),
        perSecond(best.writeLines),
        best.writeLines / best.write,
      ),
      row('read/s', perSecond(best.read), perSecond(best.readLines), best.readLines / best.read),
      row('bytes each', size / count, linesSize / count, linesSize / size),
    ];
    console.log(`${markdownTable(rows)}\n\n${markdownTable(compressions(records))}`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Why chunks are compressed the way they are: the same columns, compressed in both ways. */
function compressions(records: readonly CallRecord[]): TableRow[] {
  const collector = new RecordCollector(distinct, new StringCollector());
  for (const record of records) collector.add(record);
  const { contents } = collector.take();
  const ways = {
    'brotli 0': () =>
      brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } }),
    'deflate 1': () => deflateRawSync(contents, { level: 1 }),
  };
  const fastest = Object.values(ways).map((compress) =>
    Math.min(...Array.from({ length: rounds }, () => milliseconds(compress))),
  );
  return Object.entries(ways).map(([name, compress], i) => ({
    compressed: name,
    'bytes each': (compress().length / distinct).toFixed(1),
    'time ratio': (fastest[i]! / fastest[0]!).toFixed(1),
  }));
}

function perSecond(milliseconds: number): number {
  return (count / milliseconds) * 1000;
}

function row(what: string, ours: number, theirs: number, ratio: number): TableRow {
  const [trace, lines] = [ours, theirs].map((value) => Math.round(value).toLocaleString('en'));
  return { what, trace: trace!, 'JSON lines': lines!, ratio: ratio.toFixed(1) };
}

function writeTrace(path: string, records: readonly CallRecord[]): void {
  const writer = new TraceWriter(path);
  for (let i = 0; i < count; i++) writer.append(records[i % distinct]!);
  writer.close({ droppedEvents: 0 });
}

function readAll(path: string): void {
  let seen = 0;
  for (const record of readTrace(path)) if (record.kind === 'call') seen++;
  check(seen);
}

function writeLines(path: string, records: readonly CallRecord[]): void {
  const fd = fs.openSync(path, 'w');
  let pending = '';
  for (let i = 0; i < count; i++) {
    pending += `${JSON.stringify(records[i % distinct])}\n`;
    if (pending.length > 2 ** 18) {
      fs.writeSync(fd, pending);
      pending = '';
    }
  }
  fs.writeSync(fd, pending);
  fs.closeSync(fd);
}

function readLines(path: string): void {
  const fd = fs.openSync(path, 'r');
  const buffer = Buffer.alloc(2 ** 18);
  let seen = 0;
  let rest = '';
  for (let got = fs.readSync(fd, buffer); got > 0; got = fs.readSync(fd, buffer)) {
    const lines = (rest + buffer.toString('latin1', 0, got)).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if ((JSON.parse(line) as CallRecord).kind === 'call') seen++;
  }
  fs.closeSync(fd);
  check(seen);
}

function check(seen: number): void {
  if (seen !== count) throw new Error(`${seen} of ${count} records were read`);
}

function build(size: number): CallRecord[] {
  const random = randomNumbers();
  const below = (limit: number): number => Math.floor(random() * limit);
  /** Small values more often than large ones, as with calls and paths in real programs. */
  const skewed = (limit: number): number => Math.floor(random() * random() * limit);
  const paths = Array.from(
    { length: 2000 },
    (_, i) => `/home/me/project/src/part-${i % 40}/${i}.c`,
  );
  const files = paths.slice(0, 400).map((): KernelFile => {
    const id = -0x777f00000000 + below(2 ** 20) * 256;
    return { id, device: 0x800002, inode: 4_000_000 + below(100_000), mode: 0o100644 };
  });
  const tasks = Array.from({ length: 50 }, (_, i) => tid(14_000 + i));
  let task = tasks[0]!;
  let [sequence, now] = [0, 0];
  return Array.from({ length: size }, () => {
    if (random() < 0.3) task = tasks[below(50)]!;
    const number = skewed(30) * 9;
    const isByPath = number % 2 === 0;
    const left = now + 300 + skewed(8000);
    const entered = left - 200 - skewed(3000);
    now = left;
    sequence += 2;
    const fd = 3 + skewed(12);
    const failed = random() < 0.1;
    return {
      kind: 'call',
      tid: task,
      number,
      entry: sequence - 1 - skewed(3),
      exit: sequence,
      enteredAt: nanoseconds(entered),
      leftAt: nanoseconds(left),
      args: isByPath
        ? [-100, 0, 0x80000, 0, 0, 0]
        : [fd, 0, [4096, 832, 131072, 64][number % 4]!, 0, 0, 0],
      result: failed ? -2 : isByPath ? fd : skewed(4096),
      path: isByPath ? paths[skewed(2000)] : undefined,
      path2: undefined,
      file: isByPath ? undefined : files[skewed(400)],
      file2: isByPath && !failed ? files[skewed(400)] : undefined,
    };
  });
}

function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
