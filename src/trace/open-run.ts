/** A run that was made before, by its directory. */
import { Run } from './run-directory.ts';
import { readRunInfo } from './run-info.ts';

export function openRunDirectory(path: string): Run {
  return new Run(path, readRunInfo(path));
}
