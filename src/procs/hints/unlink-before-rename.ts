/**
 * A file is removed before the new one takes its name; in between there is none:
 *
 *   rm -f config; mv config.new config          the mv alone would replace it in one step
 */
import type { Pattern } from './pattern.ts';
import { callName, resultOf } from './scene.ts';

export const unlinkBeforeRename: Pattern = (scene) => {
  const path = scene.race.thing.name;
  for (const side of scene.sides) {
    const done = scene.doneTo(path, side).filter((step) => resultOf(step) >= 0);
    const removal = done.findIndex((step) => /^unlink/.test(callName(step)));
    const replacing = done.findLastIndex(
      (step) => /^rename/.test(callName(step)) && step.name2 === path,
    );
    if (removal < 0 || replacing < removal) continue;
    const file = scene.shown(path);
    return `do not remove ${file} first: renaming the new file to ${file} replaces it in one step`;
  }
  return undefined;
};
