/** Programs whose threads touch what a test says, as logs that the agent could have written: run by nobody. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { RDI, RSI } from '../../../binary/code/general-registers.ts';
import { LogOp } from '../../../linux/agent-protocol.ts';
import { WrittenSamplingLog } from '../../collect/testdata/written-sampling-log.ts';
import { type Analysis, analyseSamples } from '../analyse.ts';
import { type WrittenSite, writeRun, writtenImage } from './written-run.ts';

/** Gone when the tests of a file are over. */
export const folder = mkdtempSync(join(tmpdir(), 'deadheat-analyse-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
export const image = writtenImage(join(folder, 'images'));
/** Before it, none of the clocks was started. */
const START = 1e12;
export const HEAP = 0x7f00_0000_1000;
export const [LOCK, OTHER_LOCK] = [0x7f00_0100_0000, 0x7f00_0100_0040];
let runs = 0;
export const newFolder = (name: string): string => join(folder, `${name}-${++runs}`);

export interface Touch {
  readonly thread: number;
  readonly site: WrittenSite;
  readonly address?: number;
  readonly locks?: readonly number[];
  readonly flags?: number;
  /** Return addresses. */
  readonly stack?: readonly number[];
  /** Locks that the thread had taken by then. */
  readonly taken?: number;
}

export class Program {
  readonly logs: WrittenSamplingLog[];
  readonly process: number;
  time = START;

  constructor(threads = 2, process = 1) {
    this.process = process;
    this.logs = Array.from({ length: threads }, (_, i) => {
      const log = new WrittenSamplingLog(process, i + 1, `T${i + 1}`);
      log.base(0, 0, 0x7e00_0000_0000 + i * 0x10_0000, 0x7e00_0008_0000 + i * 0x10_0000);
      log.clock(START, START, 0);
      log.switched(START, true);
      return log;
    });
    for (const log of this.logs) log.sync(LogOp.DH_OP_BEGIN, ++this.time, BigInt(log.thread));
  }

  touch(touch: Touch): void {
    const { thread, site, address = image.globals, locks, flags, stack, taken = 0 } = touch;
    this.logs[thread - 1]!.sample({
      ...{ time: ++this.time, place: image.placeOf(site), taken },
      ...{ locks: locks ?? [], flags: flags ?? 0, stack: stack ?? [] },
      registers: Array.from({ length: 16 }, (_, i) => (i === RDI ? address : 0)),
    });
  }

  /** A sample at the beginning of the loop. */
  fill(thread: number, from: number, to: number): void {
    this.logs[thread - 1]!.sample({
      ...{ time: ++this.time, place: image.placeOf('fill'), locks: [], flags: 0, stack: [] },
      registers: Array.from({ length: 16 }, (_, i) => (i === RDI ? from : i === RSI ? to : 0)),
    });
  }

  /** By turns, `times` each. */
  contend(one: Touch, other: Touch, times = 4): this {
    for (let i = 0; i < times; i++) {
      this.touch(one);
      this.touch(other);
    }
    return this;
  }

  sync(thread: number, op: number, object: number, extra = 0): void {
    this.logs[thread - 1]!.sync(op, ++this.time, BigInt(object), extra);
  }

  memory(thread: number, address: number, size: number | undefined): void {
    const log = this.logs[thread - 1]!;
    log.memory(++this.time, [{ address, size }]);
    log.clock(++this.time, this.time);
  }

  save(): string {
    return writeRun(newFolder('run'), image, this.logs);
  }
}

export const analysed = (...programs: readonly Program[]): Analysis =>
  analyseSamples(
    programs.map((program, i) => ({ name: `run ${i}`, folder: program.save() })),
    { symbols: [] },
  );

/** `store ‖ load` of each race. */
export const racesOf = ({ races }: Analysis): string[] =>
  races.map(({ accesses }) => accesses.map(({ site }) => site.function).join(' ‖ '));

export const one: Touch = { thread: 1, site: 'store' };
export const other: Touch = { thread: 2, site: 'load' };
