/**
 * A recipe that makes several files, written as a rule for each of them, is run once for each:
 *
 *   gram.c gram.h: gram.y
 *   	bison -d gram.y            with -j, two bisons write the same two files at once
 */
import { opensToWrite } from './accesses.ts';
import type { Pattern } from './pattern.ts';
import { recipeOf, shortened } from './recipe.ts';
import { isMake } from './shells.ts';

export const repeatedRecipe: Pattern = (scene) => {
  const { ancestorProgram, sides, race } = scene;
  if (!ancestorProgram || !isMake(ancestorProgram)) return undefined;
  const [one, other] = sides.map(recipeOf);
  if (one === undefined || one !== other) return undefined;
  const path = race.thing.name;
  if (!sides.every((side) => scene.doneTo(path, side).some(opensToWrite))) return undefined;
  const file = scene.shown(path);
  return (
    `make runs \`${shortened(one)}\` twice at the same time, and both write ${file}: ` +
    'make it one rule for all its files, `a b &: …` (GNU make 4.3), or let the others depend on the first'
  );
};
