/**
 * Sections with `SHF_COMPRESSED`, as `gcc -gz` makes of debug information: a header that says how, and
 * how large it was before; then the compressed bytes. Not the older `.zdebug_…`.
 */
import { inflateSync } from 'node:zlib';
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import { Compression } from './constants.ts';

/** Deflate cannot do better; a header that promises more would only cost memory. */
const BEST_RATIO = 1032;

export function decompress(name: string, content: Uint8Array): Uint8Array {
  const reader = new ByteReader(content, 0, content.length, name);
  const type = reader.u32();
  reader.skip(4);
  const size = reader.u64();
  reader.skip(8);
  if (type === Compression.zstd) {
    throw new BadBinary(`section ${name} is compressed with zstd, which is not supported`);
  }
  if (type !== Compression.zlib) {
    throw new BadBinary(`section ${name} is compressed in an unknown way (${type})`);
  }
  if (size > (reader.left + 1) * BEST_RATIO) {
    throw new BadBinary(`section ${name} cannot have ${hex(size)} bytes when decompressed`);
  }
  const bytes = inflated(name, reader.bytes(reader.left), size);
  if (bytes.length === size) return bytes;
  throw new BadBinary(`section ${name} has ${bytes.length} bytes when decompressed, not ${size}`);
}

function inflated(name: string, compressed: Uint8Array, size: number): Uint8Array {
  try {
    return inflateSync(compressed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw new BadBinary(`section ${name} cannot be decompressed`);
  }
}
