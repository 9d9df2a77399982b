/**
 * Files that come out differently although nothing runs in another order: they hold dates or
 * process numbers, or have random names. Found by two runs of the same order:
 *
 *   one       build-info: 'Mon 10:00'   /tmp/tmp.Xa81kq
 *   another   build-info: 'Mon 10:02'   /tmp/tmp.p0Zr3w
 *
 * build-info does not count then, nor does anything in /tmp that is called `tmp.` and six more,
 * with all that is in it: a third run will have made up a third name.
 */
import { differingPaths, type FinalFiles, folderOf, type LeftOut } from './final-files.ts';

export function unstableFiles(one: FinalFiles, another: FinalFiles): LeftOut {
  const differing = new Set(differingPaths(one, another));
  const onlyIn = (here: FinalFiles, there: FinalFiles): string[] => {
    const isNew = (path: string): boolean =>
      here.stateOf(path).kind !== 'absent' && there.stateOf(path).kind === 'absent';
    return [...differing].filter((path) => isNew(path) && !isNew(folderOf(path)));
  };
  const inAnother = onlyIn(another, one);
  const shapes = onlyIn(one, another).flatMap((path) =>
    inAnother.flatMap((other) => commonShape(path, other) ?? []),
  );
  const madeUp = [...new Set(shapes)].map((shape) => new RegExp(`^${shape}$`, 's'));
  const isMadeUp = (path: string): boolean =>
    madeUp.some((shape) => shape.test(path)) || (path !== '/' && isMadeUp(folderOf(path)));
  return { has: (path) => differing.has(path) || (madeUp.length > 0 && isMadeUp(path)) };
}

/** The two names as one regular expression, if they look as if one program had made both up. */
function commonShape(path: string, other: string): string | undefined {
  if (folderOf(path) !== folderOf(other)) return undefined;
  const numbered = (text: string): string => quoted(text).replace(/\d+/g, '\\d+');
  if (numbered(path) === numbered(other)) return numbered(path);
  if (path.length !== other.length) return undefined;
  const differs = [...path].map((letter, index) => letter !== other[index]);
  // To the ends of the word: a letter at its edge may be the same by chance.
  const isWord = (index: number): boolean => /\w/.test(path[index] ?? '/');
  let from = differs.indexOf(true);
  let to = differs.lastIndexOf(true) + 1;
  while (isWord(from - 1)) from--;
  while (isWord(to)) to++;
  const words = [path, other].map((one) => one.slice(from, to));
  if (to - from < SHORTEST_RANDOM || !words.every((word) => /^[\w-]+$/.test(word)))
    return undefined;
  return `${quoted(path.slice(0, from))}[\\w-]{${to - from}}${quoted(path.slice(to))}`;
}

const SHORTEST_RANDOM = 4;

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
