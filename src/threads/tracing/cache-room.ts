/** Whoever builds a program a hundred times a day has a hundred build-ids: the oldest clones have to go. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';

const MOST_BYTES = 2 ** 30;

/** Removes what was not used for the longest time, so that so many bytes of clones remain. */
export function makeRoom(folder: string, most = MOST_BYTES): void {
  const blobs = readdirSync(encodeBytes(folder), 'utf8')
    .filter((name) => name.endsWith('.blob'))
    .flatMap((name) => {
      // Another deadheat may be clearing away, too.
      const stats = tryTo(() => statSync(encodeBytes(join(folder, name))));
      return stats.ok ? [{ name, size: stats.value.size, used: stats.value.mtimeMs }] : [];
    })
    .sort((a, b) => b.used - a.used);
  let total = 0;
  for (const { name, size } of blobs) {
    total += size;
    if (total <= most) continue;
    for (const file of [name.replace(/blob$/, 'json'), name]) {
      rmSync(encodeBytes(join(folder, file)), { force: true });
    }
  }
}
