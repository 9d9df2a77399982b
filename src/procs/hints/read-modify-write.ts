/**
 * Each side reads a file and writes it back; what the other one has written in between is lost:
 *
 *   n=$(cat counter); echo $((n + 1)) >counter
 */
import { does } from './accesses.ts';
import type { Pattern } from './pattern.ts';

export const readModifyWrite: Pattern = (scene) => {
  const path = scene.race.thing.name;
  const doBoth = scene.sides.every((side) => {
    const done = scene.doneTo(path, side);
    const read = done.findIndex((step) => does(step, 'load', 'contents'));
    return read >= 0 && done.slice(read + 1).some((step) => does(step, 'store', 'contents'));
  });
  if (!doBoth) return undefined;
  const file = scene.shown(path);
  return `hold a lock from reading ${file} to writing it back, such as \`flock\` on a file beside it`;
};
