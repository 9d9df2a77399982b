/**
 * The file in which clones reach the agent. All numbers are little-endian; agent/blob.c reads the same.
 *
 *   header        where everything is (HeaderAt)
 *   mapped part   what is put into memory, at `base`: slots for the agent's addresses, clones, unwind tables
 *   patches       for each function: its address, where its clone starts
 *   threadOffsets places in the mapped part to add the distance of the thread's state from fs:0 to
 *   groupNumbers  places of the groups' numbers, for an image that is not the first
 *   groupIndex    where in `groups` each group starts
 *   groups        what each group's accesses are (group-table.ts)
 *   translations  from addresses in functions with computed jumps to clones: a hash table
 *   sites         the address of each access's instruction
 *   returns       for each call in a clone: where it returns to, there and in the original
 *
 * Addresses are those of the image (image-address.ts), below 2^32; places are relative to the mapped part.
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';

export const BLOB_MAGIC = 'DHBLOB';
/** To be raised whenever the same image would give another blob: older ones in the cache are not used. */
export const BLOB_VERSION = 4;

const TABLES = [
  'patches',
  'threadOffsets',
  'groupNumbers',
  'groupIndex',
  'groups',
  'translations',
  'sites',
  'returns',
] as const;
type TableName = (typeof TABLES)[number];

/** Each table is 32-bit numbers. */
export type BlobTables = Readonly<Record<TableName, Uint32Array>>;

export interface Blob extends BlobTables {
  /** Where the mapped part goes, relative to the image: negative if below. */
  readonly base: number;
  readonly mapped: Uint8Array;
  /** Of the mapped part, what is code. */
  readonly codeSize: number;
  /** Where the unwind tables begin in the mapped part; 0 if there are none. */
  readonly unwindAt: number;
  /** Bytes that a thread needs to keep what it knows of all groups. */
  readonly stateSize: number;
  readonly functions: number;
}

/** Offsets in the header; from `tables` on, a pair of position and count for each table. */
export const HeaderAt = {
  magic: 0,
  version: 8,
  size: 12,
  base: 16,
  mappedAt: 24,
  mappedSize: 28,
  codeSize: 32,
  unwindAt: 36,
  stateSize: 40,
  functions: 44,
  tables: 48,
} as const;

export const HEADER_SIZE = 128;
const PAGE = 4096;

export function encodeBlob(blob: Blob): Buffer {
  const header = Buffer.alloc(HEADER_SIZE);
  header.write(BLOB_MAGIC, HeaderAt.magic, 'latin1');
  header.writeUInt32LE(BLOB_VERSION, HeaderAt.version);
  header.writeUInt32LE(HEADER_SIZE, HeaderAt.size);
  header.writeBigInt64LE(BigInt(blob.base), HeaderAt.base);
  header.writeUInt32LE(PAGE, HeaderAt.mappedAt);
  header.writeUInt32LE(blob.mapped.length, HeaderAt.mappedSize);
  header.writeUInt32LE(blob.codeSize, HeaderAt.codeSize);
  header.writeUInt32LE(blob.unwindAt, HeaderAt.unwindAt);
  header.writeUInt32LE(blob.stateSize, HeaderAt.stateSize);
  header.writeUInt32LE(blob.functions, HeaderAt.functions);
  const parts: Uint8Array[] = [header, Buffer.alloc(PAGE - HEADER_SIZE), blob.mapped];
  let at = PAGE + blob.mapped.length;
  for (const [number, name] of TABLES.entries()) {
    const table = blob[name];
    const padding = -at & 3;
    parts.push(
      Buffer.alloc(padding),
      Buffer.from(table.buffer, table.byteOffset, table.byteLength),
    );
    at += padding;
    header.writeUInt32LE(at, HeaderAt.tables + 8 * number);
    header.writeUInt32LE(table.length, HeaderAt.tables + 8 * number + 4);
    at += table.byteLength;
  }
  return Buffer.concat(parts);
}

/** One table of a blob, without the rest. */
export function blobTable(file: Uint8Array, name: TableName): Uint32Array {
  const header = new ByteReader(file, 0, HEADER_SIZE, 'the blob');
  const magic = Buffer.from(file.subarray(0, BLOB_MAGIC.length)).toString('latin1');
  header.at = HeaderAt.version;
  if (magic !== BLOB_MAGIC || header.u32() !== BLOB_VERSION) {
    throw new BadBinary('this is no blob of this version');
  }
  header.at = HeaderAt.tables + 8 * TABLES.indexOf(name);
  const at = header.u32();
  const count = header.u32();
  const table = new ByteReader(file, at, at + 4 * count, `the blob's ${name}`);
  return Uint32Array.from({ length: count }, () => table.u32());
}
