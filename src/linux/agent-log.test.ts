import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOG_OP_NAMES, readAgentLog } from './agent-log.ts';
import {
  AgentProtocol,
  DH_LOG_WINDOW,
  LOG_HEADER_SIZE,
  LogHeaderAt,
  LogKind,
  LogOp,
} from './agent-protocol.ts';

/** A log with these words in its window, and those appended. */
function logOf(window: bigint[], appended: bigint[] = [], windowStart?: number): Buffer {
  const bytes = Buffer.alloc(DH_LOG_WINDOW + 8 * appended.length);
  bytes.writeUInt32LE(AgentProtocol.DH_LOG_MAGIC, LogHeaderAt.magic);
  bytes.writeUInt32LE(AgentProtocol.DH_PROTOCOL, LogHeaderAt.protocol);
  bytes.writeUInt32LE(7, LogHeaderAt.thread);
  bytes.write('worker', LogHeaderAt.name);
  bytes.writeBigUInt64LE(BigInt(8 * appended.length), LogHeaderAt.flushed);
  bytes.writeBigUInt64LE(BigInt(windowStart ?? 8 * appended.length), LogHeaderAt.window_start);
  window.forEach((word, i) => void bytes.writeBigUInt64LE(word, LOG_HEADER_SIZE + 8 * i));
  appended.forEach((word, i) => void bytes.writeBigUInt64LE(word, DH_LOG_WINDOW + 8 * i));
  return bytes;
}

function opened(bytes: Buffer) {
  const log = readAgentLog(bytes);
  if (!log.ok) throw new Error(log.error);
  return log.value;
}

const head = (kind: number, op: number, small: number, site: number) =>
  BigInt(kind) | (BigInt(op) << 8n) | (BigInt(small) << 16n) | (BigInt(site) << 32n);
const first = (kind: number, op: number, seqOrAddress: number) =>
  BigInt(kind) | (BigInt(op) << 8n) | (BigInt(seqOrAddress) << 16n);
const ADDRESS = 0x7fff_1234_5678;

describe("an agent's log", () => {
  it('has its fields, each kind its own', () => {
    const pages = 0x8000_0000n | 3_000_000n;
    const log = opened(
      logOf([
        ...[head(LogKind.DH_LOG_SITE, 2, 8, 0xffff_ffff), 200n],
        first(LogKind.DH_LOG_ACCESS, 200, ADDRESS),
        ...[head(LogKind.DH_LOG_RANGE, 1, 0, 0), BigInt(ADDRESS), 2n ** 40n, 0x4000n],
        ...[head(LogKind.DH_LOG_RUN, 1, 4, 12), BigInt(ADDRESS), BigInt.asUintN(64, -16n), 500n],
        ...[head(LogKind.DH_LOG_EARLIER, 1, 0, 9), BigInt(ADDRESS), 77n | (12n << 32n)],
        ...[first(LogKind.DH_LOG_SYNC, 16, 2 ** 40), BigInt(ADDRESS) | (65535n << 48n), 0x4004n],
        ...[first(LogKind.DH_LOG_WAIT, 5, 6), BigInt(ADDRESS), 0x4008n, BigInt(ADDRESS + 64)],
        first(LogKind.DH_LOG_MEMORY, 25, 7),
        ...[BigInt(ADDRESS) | ((pages & 0xffffn) << 48n), 0x400cn | ((pages >> 16n) << 48n)],
        ...[head(LogKind.DH_LOG_ATOMIC, 7, 8, 3), 8n, BigInt(ADDRESS)],
      ]),
    );
    expect(log.header).toMatchObject({ thread: 7, name: 'worker' });
    expect(log.next()).toBe(true);
    expect([log.op, log.small, log.site, log.address]).toEqual([2, 8, 0xffff_ffff, ADDRESS]);
    expect(log.next()).toBe(true);
    expect([log.address, log.length, log.caller]).toEqual([ADDRESS, 2 ** 40, 0x4000]);
    expect(log.next()).toBe(true);
    expect([log.small, log.site, log.stride, log.count]).toEqual([4, 12, -16, 500]);
    expect(log.next()).toBe(true);
    expect([log.otherThread, log.address, log.epoch]).toEqual([9, ADDRESS, 77]);
    expect(log.otherSite).toBe(12);
    expect(log.next()).toBe(true);
    expect([log.kind, log.op, log.seq]).toEqual([LogKind.DH_LOG_SYNC, 16, 2 ** 40]);
    expect([log.object, log.extra, log.caller]).toEqual([ADDRESS, 65535, 0x4004]);
    expect(log.next()).toBe(true);
    expect([log.kind, log.op, log.seq]).toEqual([LogKind.DH_LOG_SYNC, LogOp.DH_OP_WAIT_BEGIN, 6]);
    expect([log.object, log.extra, log.caller]).toEqual([ADDRESS, ADDRESS + 64, 0x4008]);
    expect(log.next()).toBe(true);
    expect([log.kind, log.op, log.seq]).toEqual([LogKind.DH_LOG_MEMORY, LogOp.DH_OP_FREE, 7]);
    expect([log.address, log.length, log.caller]).toEqual([ADDRESS, 3_000_000 * 4096, 0x400c]);
    expect(log.next()).toBe(true);
    expect([log.op, log.small, log.site, log.seq, log.address]).toEqual([7, 8, 3, 8, ADDRESS]);
    expect([log.next(), log.next(), log.damage]).toEqual([false, false, undefined]);
  });

  it('goes on in the window, unless that was appended already', () => {
    const record = (seq: number) => [first(LogKind.DH_LOG_SYNC, 1, seq), 1n, 2n];
    const seqs = (bytes: Buffer) => {
      const log = opened(bytes);
      const found: number[] = [];
      while (log.next()) found.push(log.seq);
      return found;
    };
    expect(seqs(logOf(record(3), [...record(1), ...record(2)]))).toEqual([1, 2, 3]);
    expect(seqs(logOf(record(2), [...record(1), ...record(2)], 0))).toEqual([1, 2]);
    // Killed in the middle of a record, or of the file.
    expect(seqs(logOf([...record(3), 0n, 5n]))).toEqual([3]);
    const cut = logOf([], [...record(1), ...record(2)]);
    expect(seqs(cut.subarray(0, cut.length - 8))).toEqual([1]);
    expect(seqs(Buffer.concat([Buffer.alloc(1), logOf(record(3))]).subarray(1))).toEqual([3]);
  });

  it('says what is wrong with it, whatever it holds', () => {
    const strange = opened(logOf([0xffn]));
    expect([strange.next(), strange.damage]).toEqual([
      false,
      'there is no kind 255 of record, as at byte 0 of the window',
    ]);
    expect(readAgentLog(Buffer.alloc(10)).ok).toBe(false);
    expect(readAgentLog(Buffer.alloc(100)).ok).toBe(false);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 500 }), (noise, length) => {
        const bytes = Buffer.concat([logOf([]).subarray(0, 64), noise]).subarray(0, length);
        const log = readAgentLog(bytes);
        let count = 0;
        while (log.ok && log.value.next()) count++;
        expect(count).toBeLessThan(100);
      }),
    );
  });

  it('names operations as people do', () => {
    expect(LOG_OP_NAMES[LogOp.DH_OP_ACQUIRE_SHARED]).toBe('acquire-shared');
    expect(LOG_OP_NAMES).toHaveLength(LogOp.DH_OP_ATOMIC + 1);
  });
});
