/**
 * What is known of an image with clones, from its own file, its blob, and its debug information, wherever that
 * is. What cannot be read is not known: a trace without names is still one.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBytes, encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { readBuildId } from '../../binary/elf/build-id.ts';
import { parseElf } from '../../binary/elf/elf-file.ts';
import { imageAddress } from '../../binary/image-address.ts';
import { blobTable, HeaderAt } from '../../binary/rewrite/blob.ts';
import { AccessFlag } from '../../binary/rewrite/group-table.ts';
import { type ImageNames, namesOf } from '../../debugger/image-names.ts';
import type { AgentModule } from '../../linux/agent-channel.ts';
import type { DescribeModule, SourcePlace, TracedModule } from './traced-module.ts';

/** `blobs`: the folder that the agent had its blobs from. */
export function describeModules(blobs: string): DescribeModule {
  return (module) => {
    const names = imageNames(module);
    return {
      ...blobTables(join(blobs, module.buildId)),
      skipped: [],
      imageEnd: names?.imageEnd ?? 0,
      placeAt: (address) => names?.placeAt(imageAddress(address)) ?? NOWHERE,
      dataAt: (address) => names?.dataAt(imageAddress(address)) ?? '',
    };
  };
}

const NOWHERE: SourcePlace = { function: '', file: '', line: 0 };

type BlobTables = Pick<TracedModule, 'blobSize' | 'sites' | 'siteSizes' | 'returns'>;

function blobTables(path: string): BlobTables {
  const read = tryTo(() => {
    const file = readFileSync(path);
    const sites = blobTable(file, 'sites');
    return {
      blobSize: file.readUInt32LE(HeaderAt.mappedSize),
      sites,
      siteSizes: siteSizes(blobTable(file, 'groups'), sites.length),
      returns: blobTable(file, 'returns'),
    };
  });
  const none = new Uint32Array(0);
  if (!read.ok) return { blobSize: 0, sites: none, siteSizes: new Uint16Array(0), returns: none };
  return read.value;
}

/** From the table of groups (group-table.ts): two words, then rows of four. */
function siteSizes(groups: Uint32Array, count: number): Uint16Array {
  const sizes = new Uint16Array(count);
  for (let at = 0; at + 2 <= groups.length; ) {
    const rows = groups[at]! >>> 16;
    at += 2;
    for (let i = 0; i < rows && at + 4 <= groups.length; i++, at += 4) {
      const [what = 0, , site = 0, flags = 0] = groups.subarray(at, at + 4);
      const isAccess = (flags & (AccessFlag.read | AccessFlag.write)) !== 0;
      if (!isAccess) continue;
      // As many elements as a value says: not known.
      const isCounted = ((what >>> 8) & 0xff) !== 0xff;
      if (site < count) sizes[site] = isCounted ? 0 : what >>> 16;
    }
  }
  return sizes;
}

function imageNames({ path, buildId }: AgentModule): ImageNames | undefined {
  const read = tryTo(() => {
    const real = decodeBytes(realpathSync.native(encodeBytes(path), { encoding: 'buffer' }));
    const elf = parseElf(readFileSync(encodeBytes(real)));
    const id = readBuildId(elf);
    // Another file may be there by now.
    return id === undefined || id === buildId ? namesOf(real, elf) : undefined;
  });
  return read.ok ? read.value : undefined;
}
