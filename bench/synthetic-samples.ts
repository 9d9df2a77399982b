/**
 * Logs of a sampled program as its analysis is measured on: eight threads in code of 200 functions with four accesses
 * each, mostly about objects of their own, one time in ten about objects that all share, with the lock of that object;
 * one object in a thousand is touched without. For every eight samples a thread allocates and frees 16 blocks, for
 * every hundred it posts or waits. The same numbers come every time.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RDI } from '../src/binary/code/general-registers.ts';
import { readBuildId } from '../src/binary/elf/build-id.ts';
import { parseElf } from '../src/binary/elf/elf-file.ts';
import { functionIndex } from '../src/binary/elf/symbol-index.ts';
import { LogHeaderAt, LogOp, SampledKind } from '../src/linux/agent-protocol.ts';
import { writeRun } from '../src/sample/analyse/testdata/written-run.ts';
import { WrittenSamplingLog } from '../src/sample/collect/testdata/written-sampling-log.ts';

const THREADS = 8;
const FUNCTIONS = 200;
const LOAD_BASE = 0x5555_5555_0000;
const [OWN, SHARED, LOCKS] = [0x7f10_0000_0000, 0x7f00_0000_0000, 0x7e00_0000_0000];
const OBJECT = 128;
const OWN_OBJECTS = 20_000;
const SHARED_OBJECTS = 2000;
const START = 1e12;
/** Nanoseconds of a thread from one sample to the next. */
const PERIOD = 4_000_000;
/** Instructions of a function at which a sample may stand, four bytes each. */
const PLACES = 8;
const TWO_TO_32 = 2 ** 32;

/** Into `folder`; returns where the logs are. */
export function writeSyntheticSamples(folder: string, samples: number): string {
  const path = join(folder, 'program');
  writeFileSync(`${path}.s`, sourceText());
  const link = ['-shared', '-nostdlib', '-Wl,--build-id', `${path}.s`, '-o', path];
  execFileSync('gcc', link, { stdio: 'pipe' });
  const elf = parseElf(readFileSync(path));
  const functions = [...functionIndex(elf)].map(({ start }) => LOAD_BASE + start);
  const logs = Array.from({ length: THREADS }, (_, i) => startedLog(i + 1));
  const image = {
    ...{ path, buildId: readBuildId(elf)!, loadBase: LOAD_BASE, begin: LOAD_BASE, globals: 0 },
    end: LOAD_BASE + Math.max(...elf.segments.map(({ address, size }) => address + size)),
    placeOf: () => 0,
  };
  const run = writeRun(join(folder, 'samples'), image, logs);
  for (const { thread } of logs) {
    appendSamples(join(run, `1-${thread}.log`), thread, samples / THREADS, functions);
  }
  return run;
}

/** Four loads and stores by rdi, and as many instructions that touch nothing. */
function sourceText(): string {
  const functions = Array.from({ length: FUNCTIONS }, (_, i) => {
    const at = (n: number): number => ((i + 3 * n) % 16) * 4;
    const body = [0, 1, 2, 3].map((n) =>
      n % 2 === 0
        ? `mov eax,[rdi+${at(n) + 64}]\nlea rcx,[rcx+1]`
        : `mov [rdi+${at(n) + 64}],ecx\nlea rdx,[rdx+1]`,
    );
    return `.globl f${i}\n.type f${i},@function\nf${i}:\n.cfi_startproc\n${body.join('\n')}\nret\n.cfi_endproc\n.size f${i},.-f${i}\n`;
  });
  return `.intel_syntax noprefix\n.text\n${functions.join('')}.section .note.GNU-stack,"",@progbits\n`;
}

function startedLog(thread: number): WrittenSamplingLog {
  const log = new WrittenSamplingLog(1, thread, `worker-${thread}`);
  log.base(0, 0, 0x7d00_0000_0000 + thread * 0x100_0000, 0x7d00_0080_0000 + thread * 0x100_0000);
  log.clock(START, START, 0);
  log.switched(START, true);
  log.sync(LogOp.DH_OP_BEGIN, START + thread, BigInt(thread));
  log.appended = log.words;
  return log;
}

function appendSamples(
  path: string,
  thread: number,
  samples: number,
  functions: readonly number[],
): void {
  const fd = openSync(path, 'r+');
  const header = readFileSync(path);
  const flushed = Number(header.readBigUInt64LE(LogHeaderAt.flushed));
  const words = new WordWriter(fd, header.length);
  const below = randomNumbers(thread);
  for (let i = 1; i <= samples; i++) {
    const time = START + i * PERIOD + thread * 1000;
    if (i % 8 === 0) writeBlocks(words, time - 1000, thread, below);
    if (i % 100 === 0) {
      const isPost = i % 200 === 0;
      const op = isPost ? LogOp.DH_OP_POST : LogOp.DH_OP_WAIT_DONE;
      words.put(SampledKind.DH_SAMPLED_SYNC | (op << 8));
      for (const word of [time - 500, 0x7c00_0000_0000 + below(50) * 64, 0]) words.put(word);
    }
    const isShared = below(10) === 0;
    const object = below(isShared ? SHARED_OBJECTS : OWN_OBJECTS);
    const isLocked = isShared && object % 1000 !== 0;
    words.put(SampledKind.DH_SAMPLED_ACCESS | ((isLocked ? 1 : 0) << 16));
    words.put(time);
    words.put(functions[below(FUNCTIONS)]! + placeOffset(below(PLACES)));
    const own = OWN + thread * 0x1000_0000;
    for (let register = 0; register < 16; register++) {
      words.put(register === RDI ? (isShared ? SHARED : own) + object * OBJECT : 0);
    }
    if (isLocked) words.put(LOCKS + object * 64);
  }
  words.flush();
  const end = Buffer.alloc(8);
  end.writeBigUInt64LE(BigInt(flushed + words.bytes));
  for (const at of [LogHeaderAt.flushed, LogHeaderAt.window_start]) writeSync(fd, end, 0, 8, at);
  closeSync(fd);
}

/** mov is three bytes long, lea four. */
const placeOffset = (place: number): number => (place >> 1) * 7 + (place & 1) * 3;

function writeBlocks(
  words: WordWriter,
  time: number,
  thread: number,
  below: (limit: number) => number,
): void {
  const COUNT = 16;
  words.put(SampledKind.DH_SAMPLED_MEMORY | ((2 * COUNT) << 16));
  words.put(time);
  for (let i = 0; i < COUNT; i++) {
    const address = OWN + thread * 0x1000_0000 + below(OWN_OBJECTS) * OBJECT;
    const granule = address / 16;
    // 128 bytes are eight units; the second one is freed.
    words.putHalves(granule >>> 0, Math.floor(granule / TWO_TO_32) | (8 << 12));
    words.putHalves(granule >>> 0, Math.floor(granule / TWO_TO_32) | 0x800);
  }
}

class WordWriter {
  bytes = 0;
  readonly #fd: number;
  readonly #start: number;
  readonly #halves = new Uint32Array(1 << 18);
  #count = 0;

  constructor(fd: number, start: number) {
    this.#fd = fd;
    this.#start = start;
  }

  put(word: number): void {
    this.putHalves(word >>> 0, Math.floor(word / TWO_TO_32));
  }

  putHalves(low: number, high: number): void {
    this.#halves[this.#count++] = low;
    this.#halves[this.#count++] = high;
    if (this.#count === this.#halves.length) this.flush();
  }

  flush(): void {
    const piece = Buffer.from(this.#halves.buffer, 0, this.#count * 4);
    writeSync(this.#fd, piece, 0, piece.length, this.#start + this.bytes);
    this.bytes += piece.length;
    this.#count = 0;
  }
}

function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / TWO_TO_32) * limit);
  };
}
