/**
 * Two processes add to a file, each at the position it has found to be the end; what one of them
 * writes, the other writes over. With O_APPEND each write goes to the end by itself.
 */
import { OpenFlag } from '../model/open-flags.ts';
import { does, flagsOf, opensToWrite } from './accesses.ts';
import type { Pattern } from './pattern.ts';

export const appendWithoutFlag: Pattern = (scene) => {
  const path = scene.race.thing.name;
  const flags = scene.sides.map((side) => {
    const done = scene.doneTo(path, side);
    const opened = done.filter(opensToWrite).map(flagsOf);
    const writes = done.some((step) => does(step, 'store', 'contents'));
    return writes ? opened : [];
  });
  if (flags.some((opened) => opened.length === 0)) return undefined;
  const all = flags.flat();
  // Who empties it wants it all for itself.
  if (all.some((one) => (one & OpenFlag.O_TRUNC) !== 0)) return undefined;
  if (all.every((one) => (one & OpenFlag.O_APPEND) !== 0)) return undefined;
  return `open ${scene.shown(path)} with O_APPEND (\`>>\` in a shell) on both sides: then each write goes to its end`;
};
