/**
 * Writes a thread's log as the agent would (layout: agent/deadheat.h).
 *
 *   const log = new WrittenLog(1, 2);
 *   log.sync(LogOp.DH_OP_ACQUIRE, 7, 0x4040, LockBits.DH_LOCK_MUTEX);
 *   log.access(0x5000, 4, AccessFlag.DH_WRITE, 12);
 *   log.save(folder);
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AgentProtocol,
  DH_LOG_WINDOW,
  LOG_HEADER_SIZE,
  LogHeaderAt,
  LogKind,
  LogOp,
} from '../../../linux/agent-protocol.ts';

const IN_WINDOW = (DH_LOG_WINDOW - LOG_HEADER_SIZE) / 8;

export class WrittenLog {
  readonly process: number;
  readonly thread: number;
  readonly name: string;
  readonly words: bigint[] = [];
  /** How many of the words have been appended to the file; the rest must fit into the window. */
  appended = 0;

  constructor(process: number, thread: number, name = '') {
    this.process = process;
    this.thread = thread;
    this.name = name;
  }

  access(address: number, size: number, flags: number, site: number): void {
    const number = site % 256;
    this.words.push(head(LogKind.DH_LOG_SITE, flags, size, site), BigInt(number));
    this.words.push(first(LogKind.DH_LOG_ACCESS, number, address));
  }

  range(address: number, length: number, flags: number, caller: number): void {
    const words = [address, length, caller].map(BigInt);
    this.words.push(head(LogKind.DH_LOG_RANGE, flags, 0, 0), ...words);
  }

  run(
    address: number,
    stride: number,
    count: number,
    size: number,
    flags: number,
    site: number,
  ): void {
    const words = [BigInt(address), BigInt.asUintN(64, BigInt(stride)), BigInt(count)];
    this.words.push(head(LogKind.DH_LOG_RUN, flags, size, site), ...words);
  }

  earlier(thread: number, epoch: number, address: number, flags: number, site: number): void {
    const words = [BigInt(address), BigInt(epoch) | (BigInt(site) << 32n)];
    this.words.push(head(LogKind.DH_LOG_EARLIER, flags, 0, thread), ...words);
  }

  sync(op: number, seq: number, object: number, extra = 0, caller = 0): void {
    if (op === LogOp.DH_OP_WAIT_BEGIN || op === LogOp.DH_OP_WAIT_END) {
      this.words.push(first(LogKind.DH_LOG_WAIT, op, seq), ...[object, caller, extra].map(BigInt));
    } else {
      const packed = BigInt(object) | (BigInt(extra) << 48n);
      this.words.push(first(LogKind.DH_LOG_SYNC, op, seq), packed, BigInt(caller));
    }
  }

  atomic(seq: number, address: number, size: number, flags: number, site: number): void {
    this.words.push(
      head(LogKind.DH_LOG_ATOMIC, flags | 4, size, site),
      BigInt(seq),
      BigInt(address),
    );
  }

  memory(op: number, seq: number, address: number, size: number, caller = 0): void {
    const [low, high] = [BigInt(size & 0xffff), BigInt(Math.floor(size / 0x1_0000))];
    this.words.push(first(LogKind.DH_LOG_MEMORY, op, seq), BigInt(address) | (low << 48n));
    this.words.push(BigInt(caller) | (high << 48n));
  }

  /** All but the last words have been appended: the window is full now and then. */
  save(folder: string): string {
    const appended = Math.max(this.appended, this.words.length - IN_WINDOW);
    const bytes = Buffer.alloc(DH_LOG_WINDOW + 8 * appended);
    bytes.writeUInt32LE(AgentProtocol.DH_LOG_MAGIC, LogHeaderAt.magic);
    bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, LogHeaderAt.protocol);
    bytes.writeUInt32LE(this.process, LogHeaderAt.process);
    bytes.writeUInt32LE(1000 + this.process, LogHeaderAt.pid);
    bytes.writeUInt32LE(1000 * this.process + this.thread, LogHeaderAt.tid);
    bytes.writeUInt32LE(this.thread, LogHeaderAt.thread);
    bytes.write(this.name, LogHeaderAt.name);
    bytes.writeBigUInt64LE(BigInt(8 * appended), LogHeaderAt.flushed);
    bytes.writeBigUInt64LE(BigInt(8 * appended), LogHeaderAt.window_start);
    for (const [i, word] of this.words.entries()) {
      const at = i < appended ? DH_LOG_WINDOW + 8 * i : LOG_HEADER_SIZE + 8 * (i - appended);
      bytes.writeBigUInt64LE(word, at);
    }
    const path = join(folder, `${this.process}-${this.thread}.log`);
    writeFileSync(path, bytes);
    return path;
  }
}

const head = (kind: number, op: number, small: number, site: number): bigint =>
  BigInt(kind) | (BigInt(op) << 8n) | (BigInt(small) << 16n) | (BigInt(site) << 32n);

const first = (kind: number, op: number, value: number): bigint =>
  BigInt(kind) | (BigInt(op) << 8n) | (BigInt(value) << 16n);
