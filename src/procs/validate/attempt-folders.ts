/** What attempts leave in `RUN/attempts/`, and how to get rid of it. */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import type { Run } from '../../trace/run-directory.ts';

export const attemptFolder = ({ path }: Run, name: string): string => join(path, 'attempts', name);

export function discard(folder: string): void {
  removeTree(folder);
}

/** With less, programs fail for want of space, in whichever order they run. */
const LEAST_SPACE = 1 << 20;

export function isFull({ path }: Run): boolean {
  const { bavail, bsize } = statfsSync(encodeBytes(path));
  return bavail * bsize < LEAST_SPACE;
}
