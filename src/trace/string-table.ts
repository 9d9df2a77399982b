/**
 * Each string is written once, just before the first records that use it; records hold its number,
 * counted from 1. A chunk of strings is their lengths in bytes, then their bytes:
 *
 *   'src', 'café.c'   →   03 00 00 00  07 00 00 00  s r c c a f é(2) . c
 *
 * The table grows with the number of distinct strings and is the only part of a recording that is
 * kept in memory as a whole, by writer and reader alike: 100,000 paths are about 10 MB.
 */
import { assert } from '../base/assert.ts';
import { decodeBytes, encodeBytes } from '../base/bytes.ts';
import { largestChunk } from './chunk.ts';
import { intact } from './damage.ts';

const lengthBytes = 4;

export class StringCollector {
  readonly #numbers = new Map<string, number>();
  #fresh: Buffer[] = [];
  #freshBytes = 0;

  /** The number of a string, which joins the table if it is new. */
  numberOf(text: string): number {
    return this.#numbers.get(text) ?? this.#add(text);
  }

  /** Bytes that the next chunk of strings will have; 0 if there is nothing new. */
  get pendingBytes(): number {
    return this.#freshBytes;
  }

  /** The strings that are new since the last call, as a chunk's contents. */
  take(): { contents: Buffer; count: number } {
    const count = this.#fresh.length;
    const contents = encodeStrings(this.#fresh);
    this.#fresh = [];
    this.#freshBytes = 0;
    return { contents, count };
  }

  #add(text: string): number {
    const bytes = encodeBytes(text);
    assert(bytes.length < largestChunk / 2, `a string of ${bytes.length} bytes`);
    const number = this.#numbers.size + 1;
    this.#numbers.set(text, number);
    this.#fresh.push(bytes);
    this.#freshBytes += bytes.length + lengthBytes;
    return number;
  }
}

/** The contents of a chunk of strings. */
export function encodeStrings(strings: readonly Buffer[]): Buffer {
  const lengths = Buffer.alloc(strings.length * lengthBytes);
  for (const [i, bytes] of strings.entries()) {
    lengths.writeUInt32LE(bytes.length, i * lengthBytes);
  }
  return Buffer.concat([lengths, ...strings]);
}

/** The strings of one chunk; the reader appends them to its table. */
export function decodeStrings(contents: Buffer, count: number): string[] {
  let at = count * lengthBytes;
  intact(at <= contents.length, `${count} strings in ${contents.length} bytes`);
  const strings: string[] = [];
  for (let i = 0; i < count; i++) {
    const end = at + contents.readUInt32LE(i * lengthBytes);
    intact(end <= contents.length, `string ${i} goes beyond its chunk`);
    strings.push(decodeBytes(contents.subarray(at, end)));
    at = end;
  }
  intact(at === contents.length, `${contents.length - at} bytes after the last string`);
  return strings;
}
