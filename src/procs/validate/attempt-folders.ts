/** What attempts leave in `RUN/attempts/`, and how to get rid of it. */
import { removeTree } from '../../linux/sandbox/upper-files.ts';

export function discard(folder: string): void {
  removeTree(folder);
}
