/**
 * The list of symbols that a kernel carries in its own read-only data, found in a copy of that data. Nothing says
 * where it is, but it looks like nothing else. Names are written with 256 tokens, so that `vfs_read` may take four
 * bytes; the tokens for digits are the digits, so their table has `0\0 1\0 … 9\0` in it:
 *
 *   names          each: its length in tokens (with 0x80 in it: and a second byte), then the tokens.
 *                  The first letter is the type: `Tvfs_read`
 *   markers        for each 256th symbol, how far its name is from the first one
 *   token table    256 texts, one after the other
 *   token index    for each token, how far its text is from the first one: 256 numbers of 16 bits
 *   offsets        each symbol's address as 32 bits; from the relative base
 *   relative base  the lowest address
 *
 * The number of symbols is right before the names. Up to Linux 6.3, offsets and base come before that; later, behind
 * the token index. A negative offset N is the address base - 1 - N, and others are addresses of their own (those of
 * per-processor variables); if no offset is negative, all are added to the base.
 */
import { ByteReader } from '../../binary/byte-reader.ts';
import type { KernelSymbol } from './symbols.ts';

const DIGITS = Buffer.from('0\x001\x002\x003\x004\x005\x006\x007\x008\x009\x00');
const ZERO = 0x30;
const TOKENS = 256;
const INDEX_SIZE = 2 * TOKENS;
const LONGEST_TABLE = 1 << 13;
const MARKED = 256;
const FEWEST = 1000;
const MOST = 4_000_000;
/** How far before the tokens the names may begin. */
export const LONGEST_NAMES = 1 << 24;

const aligned = (at: number): number => (at + 7) & ~7;

export interface TokenTable {
  /** Where it begins and where its index ends, in the data. */
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly string[];
}

export function findTokens(data: Uint8Array): TokenTable | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  let at = bytes.indexOf(DIGITS);
  for (; at >= 0; at = bytes.indexOf(DIGITS, at + 1)) {
    const found = tokensAround(bytes, at);
    if (found) return found;
  }
  return undefined;
}

/** The digits' tokens have their own numbers: there are 48 before. */
function tokensAround(bytes: Buffer, digits: number): TokenTable | undefined {
  let start = digits;
  for (let token = ZERO; token > 0; token--) {
    const before = bytes.lastIndexOf(0, start - 2);
    if (before < 0 || digits - before > LONGEST_TABLE) return undefined;
    start = before + 1;
  }
  // Padding before the table looks like empty tokens, and hides where the first one begins.
  for (const from of [start, ...aligneds(bytes, start)]) {
    const found = tokensFrom(bytes, from);
    if (found) return found;
  }
  return undefined;
}

function aligneds(bytes: Buffer, start: number): number[] {
  const places: number[] = [];
  for (let at = aligned(start); at < start + 64 && at < bytes.length; at += 8) places.push(at);
  return places;
}

function tokensFrom(bytes: Buffer, start: number): TokenTable | undefined {
  const tokens: string[] = [];
  const places: number[] = [];
  let at = start;
  for (let token = 0; token < TOKENS; token++) {
    const end = bytes.indexOf(0, at);
    if (end < 0 || end - start > LONGEST_TABLE) return undefined;
    places.push(at - start);
    tokens.push(bytes.toString('latin1', at, end));
    at = end + 1;
  }
  const index = aligned(at);
  if (index + INDEX_SIZE > bytes.length) return undefined;
  const isIndex = places.every((place, token) => bytes.readUInt16LE(index + 2 * token) === place);
  return isIndex ? { start, end: index + INDEX_SIZE, tokens } : undefined;
}

/** undefined if the tables that belong to the tokens are not where they are in kernels that are known. */
export function readKallsyms(data: Uint8Array, table: TokenTable): KernelSymbol[] | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  const earliest = Math.max(8, table.start - LONGEST_NAMES);
  for (let names = table.start & ~7; names >= earliest; names -= 8) {
    const count = bytes.readUInt32LE(names - 8);
    if (count < FEWEST || count > MOST || bytes.readUInt32LE(names - 4) !== 0) continue;
    const texts = namesAt(bytes, names, count, table);
    const addresses = texts && addressesOf(bytes, names - 8, table.end, count);
    if (!texts || !addresses) continue;
    return texts.map((text, index) => ({
      type: text[0]!,
      name: text.slice(1),
      address: addresses[index]!,
    }));
  }
  return undefined;
}

/** undefined if these are no names, which nearly always the first of them tells. */
function namesAt(
  bytes: Buffer,
  start: number,
  count: number,
  { start: limit, tokens }: TokenTable,
): string[] | undefined {
  const reader = new ByteReader(bytes, start, limit);
  const names: string[] = [];
  const marks: number[] = [];
  while (names.length < count) {
    if (names.length % MARKED === 0) marks.push(reader.at - start);
    if (reader.left < 3) return undefined;
    let length = reader.u8();
    if (length >= 0x80) length = (length & 0x7f) | (reader.u8() << 7);
    if (length === 0 || length > reader.left) return undefined;
    let name = '';
    for (const token of reader.bytes(length)) name += tokens[token];
    if (!/^[A-Za-z?][^\s]+$/.test(name)) return undefined;
    names.push(name);
  }
  const markers = aligned(reader.at);
  if (markers + 4 * marks.length > limit) return undefined;
  const areMarked = marks.every((mark, index) => bytes.readUInt32LE(markers + 4 * index) === mark);
  return areMarked ? names : undefined;
}

function addressesOf(
  bytes: Buffer,
  countAt: number,
  tokensEnd: number,
  count: number,
): bigint[] | undefined {
  const size = aligned(4 * count);
  const behind = aligned(tokensEnd);
  return (
    addressesAt(bytes, countAt - 8 - size, countAt - 8, count) ??
    addressesAt(bytes, behind, behind + size, count)
  );
}

const LOWEST_IMAGE = 0xffffffff80000000n;

function addressesAt(
  bytes: Buffer,
  offsetsAt: number,
  baseAt: number,
  count: number,
): bigint[] | undefined {
  if (offsetsAt < 0 || baseAt + 8 > bytes.length) return undefined;
  const base = bytes.readBigUInt64LE(baseAt);
  if (base < LOWEST_IMAGE || base % 0x1000n !== 0n) return undefined;
  const offsets = new Int32Array(count);
  let hasNegative = false;
  for (let index = 0; index < count; index++) {
    offsets[index] = bytes.readInt32LE(offsetsAt + 4 * index);
    hasNegative ||= offsets[index]! < 0;
  }
  return Array.from(offsets, (offset) => {
    if (!hasNegative) return base + BigInt(offset >>> 0);
    return offset < 0 ? base - 1n - BigInt(offset) : BigInt(offset);
  });
}
