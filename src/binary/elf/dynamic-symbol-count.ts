/**
 * How many symbols the loader's table has, in a file without section headers: nothing says so directly,
 * but the hash tables have an entry for each symbol. Of the newer kind (`DT_GNU_HASH`) only the symbols
 * defined here are in it, the last ones of the table: the largest number in a bucket is where the last
 * chain begins, and a chain ends with an odd hash.
 */
import { ByteReader } from '../byte-reader.ts';
import { imageAddress } from '../image-address.ts';
import { DynamicTag } from './constants.ts';
import type { Dynamic } from './dynamic.ts';
import type { ElfFile } from './elf-file.ts';

export function dynamicSymbolCount(elf: ElfFile, dynamic: Dynamic): number {
  const hash = hashReader(elf, dynamic, DynamicTag.hash);
  if (hash !== undefined) {
    hash.skip(4);
    return hash.u32();
  }
  const gnuHash = hashReader(elf, dynamic, DynamicTag.gnuHash);
  return gnuHash === undefined ? 0 : countByGnuHash(gnuHash);
}

function countByGnuHash(reader: ByteReader): number {
  const buckets = reader.u32();
  const first = reader.u32();
  const filterWords = reader.u32();
  reader.skip(4 + 8 * filterWords);
  let last = 0;
  for (let bucket = 0; bucket < buckets; bucket++) last = Math.max(last, reader.u32());
  if (last < first) return first;
  reader.skip(4 * (last - first));
  while ((reader.u32() & 1) === 0) last++;
  return last + 1;
}

function hashReader(elf: ElfFile, dynamic: Dynamic, tag: number): ByteReader | undefined {
  const at = dynamic.value(tag);
  const bytes = at === undefined ? undefined : elf.imageBytesFrom(imageAddress(at));
  return bytes && new ByteReader(bytes, 0, bytes.length, 'the hash table');
}
