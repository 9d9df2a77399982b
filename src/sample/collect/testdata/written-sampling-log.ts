/**
 * Writes the log of a sampled thread as the agent would (layout: agent/deadheat.h).
 *
 *   const log = new WrittenSamplingLog(1, 2);
 *   log.sync(LogOp.DH_OP_BEGIN, 7, 0n);
 *   log.sample({ time: 9, place: 0x401000, registers: { 0: 0x5000 }, locks: [0x6000] });
 *   log.save(folder);
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AgentProtocol,
  DH_LOG_WINDOW,
  LOG_HEADER_SIZE,
  LogHeaderAt,
  SampledKind,
  SamplingNumbers,
} from '../../../linux/agent-protocol.ts';

const IN_WINDOW = (DH_LOG_WINDOW - LOG_HEADER_SIZE) / 8;
const GENERAL_REGISTERS = 16;
const WORD = 8;

export interface WrittenSample {
  readonly time: number;
  readonly place: number;
  /** By their numbers; the others are 0. */
  readonly registers: ArrayLike<number | undefined>;
  /** Plus 1 if it is shared. */
  readonly locks?: readonly number[];
  readonly flags?: number;
  readonly stack?: readonly number[];
  readonly taken?: number;
}

export interface WrittenBlock {
  readonly address: number;
  /** Undefined: it is freed. */
  readonly size: number | undefined;
}

export class WrittenSamplingLog {
  readonly process: number;
  readonly thread: number;
  readonly name: string;
  #words = new BigInt64Array(1024);
  #count = 0;
  /** How many of the words have been appended to the file; the rest must fit into the window. */
  appended = 0;

  constructor(process: number, thread: number, name = '') {
    this.process = process;
    this.thread = thread;
    this.name = name;
  }

  get words(): number {
    return this.#count;
  }

  sample(sample: WrittenSample): void {
    const { time, place, registers, locks = [], flags = 0, stack = [], taken = 0 } = sample;
    const head =
      SampledKind.DH_SAMPLED_ACCESS |
      (flags << 8) |
      (locks.length << 16) |
      (stack.length * 0x100_0000);
    this.#pushWord(BigInt(head >>> 0) | (BigInt(taken) << 32n));
    this.#push(time);
    this.#push(place);
    for (let i = 0; i < GENERAL_REGISTERS; i++) this.#push(registers[i] ?? 0);
    for (const lock of locks) this.#push(lock);
    for (const address of stack) this.#push(address);
  }

  memory(time: number, blocks: readonly WrittenBlock[]): void {
    this.#push(SampledKind.DH_SAMPLED_MEMORY | (blocks.length << 16));
    this.#push(time);
    for (const { address, size } of blocks) {
      const isFreed = size === undefined ? 1n << BigInt(SamplingNumbers.DH_BLOCK_FREED_SHIFT) : 0n;
      const packed = BigInt(packedSize(size ?? 0)) << BigInt(SamplingNumbers.DH_BLOCK_SIZE_SHIFT);
      this.#pushWord(BigInt(address / 16) | isFreed | packed);
    }
  }

  sync(op: number, time: number, object: bigint, extra = 0): void {
    this.#push(SampledKind.DH_SAMPLED_SYNC | (op << 8));
    this.#push(time);
    this.#pushWord(object);
    this.#push(extra);
  }

  clock(tick: number, nanoseconds: number, processorNanoseconds = 0): void {
    this.#push(SampledKind.DH_SAMPLED_CLOCK);
    this.#push(tick);
    this.#push(nanoseconds);
    this.#push(processorNanoseconds);
  }

  base(fs: number, gs: number, stackStart = 0, stackEnd = 0): void {
    this.#push(SampledKind.DH_SAMPLED_BASE);
    for (const word of [fs, gs, stackStart, stackEnd]) this.#push(word);
  }

  switched(time: number, isOn: boolean): void {
    this.#push(SampledKind.DH_SAMPLED_SWITCH | (isOn ? 1 << 8 : 0));
    this.#push(time);
  }

  /** As if something had written over it. */
  overwrite(word: number, value: bigint): void {
    this.#words[word] = BigInt.asIntN(64, value);
  }

  #push(value: number): void {
    this.#pushWord(BigInt(value));
  }

  #pushWord(value: bigint): void {
    if (this.#count === this.#words.length) {
      const larger = new BigInt64Array(2 * this.#count);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#count++] = BigInt.asIntN(64, value);
  }

  /** All but the last words have been appended: the window is full now and then. */
  bytes(): Buffer {
    const appended = Math.max(this.appended, this.#count - IN_WINDOW);
    const bytes = Buffer.alloc(DH_LOG_WINDOW + WORD * appended);
    bytes.writeUInt32LE(AgentProtocol.DH_LOG_MAGIC, LogHeaderAt.magic);
    bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, LogHeaderAt.protocol);
    bytes.writeUInt32LE(this.process, LogHeaderAt.process);
    bytes.writeUInt32LE(1000 + this.process, LogHeaderAt.pid);
    bytes.writeUInt32LE(1000 * this.process + this.thread, LogHeaderAt.tid);
    bytes.writeUInt32LE(this.thread, LogHeaderAt.thread);
    bytes.write(this.name, LogHeaderAt.name);
    bytes.writeBigUInt64LE(BigInt(WORD * appended), LogHeaderAt.flushed);
    bytes.writeBigUInt64LE(BigInt(WORD * appended), LogHeaderAt.window_start);
    const words = Buffer.from(this.#words.buffer, 0, WORD * this.#count);
    words.copy(bytes, DH_LOG_WINDOW, 0, WORD * appended);
    words.copy(bytes, LOG_HEADER_SIZE, WORD * appended);
    return bytes;
  }

  save(folder: string): string {
    const path = join(folder, `${this.process}-${this.thread}.log`);
    writeFileSync(path, this.bytes());
    return path;
  }
}

function packedSize(size: number): number {
  const small = Math.ceil(size / 16);
  return small < SamplingNumbers.DH_BLOCK_LARGE
    ? small
    : SamplingNumbers.DH_BLOCK_LARGE + Math.ceil(size / 65536);
}
