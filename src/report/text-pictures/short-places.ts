/** Where a side of a race stood, a line for each frame that says something: `add_job queue.c:41`. */
import { printable } from '../../base/printable.ts';
import { framesOf, sourcePosition } from '../frames.ts';
import type { Access, Site } from '../model.ts';

/** The rest of a stack is in the whole report. */
const MOST_FRAMES = 4;

/** Frames below the first that have no name only tell that there are some. */
export const placeLines = (access: Access): string[] =>
  framesOf(access)
    .filter(({ function: name, file }, at) => at === 0 || (name ?? file) !== undefined)
    .slice(0, MOST_FRAMES)
    .map((site) => `  ${shortPlace(site)}`);

/** Folders of sources are long, and the same for all. */
export function shortPlace({ function: name, file, line, module, address }: Site): string {
  const base = file?.slice(file.lastIndexOf('/') + 1);
  const place =
    base === undefined
      ? [module?.slice(module.lastIndexOf('/') + 1), address].filter(Boolean).join('+')
      : sourcePosition(base, line);
  return printable([name ?? '??', place].filter(Boolean).join(' '));
}
