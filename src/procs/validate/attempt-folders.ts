/** What attempts leave in `RUN/attempts/`, and how to get rid of it. */
import { readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import type { Run } from '../../trace/run-directory.ts';

export function discard(folder: string): void {
  removeTree(folder);
}

/** What a user has asked for stays. */
export const REPLAY_PREFIX = 'replay-';

/** Once verdicts are reached: `deadheat replay` makes them again. */
export function discardAll({ path }: Run): void {
  const all = join(path, 'attempts');
  const names = tryTo(() => readdirSync(encodeBytes(all)));
  if (!names.ok) return;
  const others = names.value.filter((name) => !name.startsWith(REPLAY_PREFIX));
  if (others.length === names.value.length) return removeTree(all);
  for (const name of others) removeTree(join(all, name));
}

/** With less, programs fail for want of space, in whichever order they run. */
const LEAST_SPACE = 1 << 20;

export function isFull({ path }: Run): boolean {
  const { bavail, bsize } = statfsSync(encodeBytes(path));
  return bavail * bsize < LEAST_SPACE;
}
