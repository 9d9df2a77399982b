/**
 * An executable or a library as far as its headers tell, which is all that is needed to find its clones in the
 * cache: of a file of 100 MB, a few hundred bytes are read.
 *
 *   readImageFile('/usr/bin/bash')     // { key: '3313b4cb119d…', interpreter: '/lib64/ld-…', … }
 *
 * The key is what the agent finds the clones by: the build-id, or, without one, which file it is and in which
 * state: device, inode, size and the time of its last change. Twice as long as the usual build-id, it is never
 * taken for one. agent/blob.c makes the same.
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { decodeBytes, encodeBytes } from '../base/bytes.ts';
import { BadBinary, hex } from '../binary/byte-reader.ts';
import { buildIdInNotes } from '../binary/elf/build-id.ts';
import { SegmentType } from '../binary/elf/constants.ts';
import { readHeader, SEGMENT_HEADER_SIZE } from '../binary/elf/header.ts';
import { readSegments, type Segment } from '../binary/elf/segments.ts';

export interface ImageFile {
  /** Without symbolic links. */
  readonly path: string;
  /** In hexadecimal digits. */
  readonly key: string;
  /** Which file, and in which state. */
  readonly stamp: string;
  readonly size: number;
  /** The loader's path; a file without one is a library, or a program that is linked statically. */
  readonly interpreter: string | undefined;
}

const HEADER_SIZE = 64;

/** Throws `BadBinary`, or what the system says of a file that cannot be read. */
export function readImageFile(named: string): ImageFile {
  const path = decodeBytes(realpathSync.native(encodeBytes(named), { encoding: 'buffer' }));
  const fd = openSync(encodeBytes(path), 'r');
  try {
    const stats = fstatSync(fd, { bigint: true });
    const size = Number(stats.size);
    const read = reader(fd, size);
    const { segments: table } = readHeader(read('the ELF header', 0, Math.min(HEADER_SIZE, size)));
    const headers = read('the program headers', table.offset, table.count * SEGMENT_HEADER_SIZE);
    const segments = readSegments(headers, { offset: 0, count: table.count });
    const content = (what: string, { offset, sizeInFile }: Segment): Uint8Array =>
      read(what, offset, sizeInFile);
    const ids = segments
      .filter(({ type }) => type === SegmentType.note)
      .map((segment) => buildIdInNotes(content('a segment of notes', segment), segment.align));
    const buildId = ids.find((id) => id !== undefined && id !== '');
    const loader = segments.find(({ type }) => type === SegmentType.interpreter);
    return {
      path,
      key: buildId ?? stampOf(stats),
      stamp: stampOf(stats),
      size,
      interpreter: loader && withoutZero(content("the loader's path", loader)),
    };
  } finally {
    closeSync(fd);
  }
}

/** Five numbers of 64 bits, as the agent lays them out. */
function stampOf(stats: { dev: bigint; ino: bigint; size: bigint; ctimeNs: bigint }): string {
  const second = 1_000_000_000n;
  const { dev, ino, size, ctimeNs } = stats;
  const numbers = [dev, ino, size, ctimeNs / second, ctimeNs % second];
  return Buffer.from(BigUint64Array.from(numbers).buffer).toString('hex');
}

const reader =
  (fd: number, fileSize: number) =>
  (what: string, offset: number, length: number): Uint8Array => {
    const bytes = Buffer.alloc(offset + length <= fileSize ? length : 0);
    if (bytes.length < length || readSync(fd, bytes, 0, length, offset) < length) {
      throw new BadBinary(`it is cut short: ${what} at ${hex(offset)} is outside the file`);
    }
    return bytes;
  };

function withoutZero(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decodeBytes(bytes.subarray(0, end < 0 ? bytes.length : end));
}
