/** What attempts leave in `RUN/attempts/`, and how to get rid of it. */
import { join } from 'node:path';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import type { Run } from '../../trace/run-directory.ts';

export const attemptFolder = ({ path }: Run, name: string): string => join(path, 'attempts', name);

export function discard(folder: string): void {
  removeTree(folder);
}
