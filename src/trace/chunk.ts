/**
 * A recording on disk: a file header, then chunks, each with a header of its own.
 *
 *   'deadheat'  version  check                                    16 bytes; the version: family.ts
 *   STRINGS  1  raw  stored  count  sum  check   compressed…      the strings of chunk 2
 *   RECORDS  2  raw  stored  count  sum  check   compressed…
 *   RECORDS  3  …                                                 needed no new strings
 *   END      4  …                                                 totals, as JSON
 *
 * All fields but the magic are 32-bit little-endian. `sum` is the CRC-32 of the compressed bytes,
 * `check` that of the header before it, so that a wrong length is found before it is believed. The
 * number that each chunk carries shows that none is missing or out of place. A file without END was
 * not finished. The first 16 bytes keep their meaning in all versions to come.
 */
import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib';
import { Damage, intact } from './damage.ts';
import type { TraceFamily } from './family.ts';
import { headerVersion } from './family.ts';

export const fileHeaderLength = 16;
export const chunkHeaderLength = 28;

/** More than any chunk we write; a larger one is not read, whatever its header says. */
export const largestChunk = 64 * 2 ** 20;

/** What all families have; the numbers from 16 on are theirs, see family.ts. */
export const ChunkType = { strings: 1, records: 2, end: 3 } as const;

export interface ChunkHeader {
  readonly type: number;
  readonly number: number;
  readonly rawLength: number;
  readonly storedLength: number;
  /** Strings, records or rows inside. */
  readonly count: number;
  readonly sum: number;
}

/** Nearly as small as deflate's level 1 on these columns, in a quarter of its time (`npm run bench -- trace`). */
const FAST = { [constants.BROTLI_PARAM_QUALITY]: 0 };

const magic = Buffer.from('deadheat');

export function encodeFileHeader(family: TraceFamily): Buffer {
  const header = Buffer.alloc(fileHeaderLength);
  magic.copy(header);
  header.writeUInt32LE(headerVersion(family), 8);
  header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
  return header;
}

/** The version that a file header names, or undefined if this is no header of ours. */
export function decodeFileHeader(header: Buffer): number | undefined {
  const seen = header.subarray(0, magic.length);
  if (!seen.equals(magic.subarray(0, seen.length))) return undefined;
  intact(header.length === fileHeaderLength, 'cut short');
  intact(header.readUInt32LE(12) === crc32(header.subarray(0, 12)), 'checksum differs');
  return header.readUInt32LE(8);
}

export function encodeChunk(type: number, number: number, count: number, contents: Buffer): Buffer {
  const stored = brotliCompressSync(contents, { params: FAST, chunkSize: contents.length + 64 });
  const header = Buffer.alloc(chunkHeaderLength);
  const fields = [type, number, contents.length, stored.length, count, crc32(stored)];
  for (const [i, field] of fields.entries()) header.writeUInt32LE(field, i * 4);
  header.writeUInt32LE(crc32(header.subarray(0, 24)), 24);
  return Buffer.concat([header, stored]);
}

export function decodeChunkHeader(header: Buffer): ChunkHeader {
  intact(
    header.readUInt32LE(24) === crc32(header.subarray(0, 24)),
    "its header's checksum differs",
  );
  const rawLength = header.readUInt32LE(8);
  intact(rawLength <= largestChunk, `its length, ${rawLength}, is impossible`);
  return {
    type: header.readUInt32LE(0),
    number: header.readUInt32LE(4),
    rawLength,
    storedLength: header.readUInt32LE(12),
    count: header.readUInt32LE(16),
    sum: header.readUInt32LE(20),
  };
}

export function decodeContents(header: ChunkHeader, stored: Buffer): Buffer {
  intact(crc32(stored) === header.sum, 'checksum differs');
  const contents = inflate(stored, header.rawLength);
  intact(contents.length === header.rawLength, 'its length is not what its header says');
  return contents;
}

function inflate(stored: Buffer, rawLength: number): Buffer {
  // With room to spare, it is done after one buffer; it refuses to go beyond the limit.
  const room = rawLength + 64;
  try {
    return brotliDecompressSync(stored, { chunkSize: room, maxOutputLength: room });
  } catch (error) {
    throw new Damage(`cannot be decompressed (${(error as Error).message})`);
  }
}
