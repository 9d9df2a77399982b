/**
 * A Makefile does not say that one target needs another, and with -j make makes both at once:
 *
 *   all: obj obj/a.o
 *   obj:
 *   	mkdir obj
 *   obj/a.o: a.c               should be   obj/a.o: a.c | obj
 *   	cc -c -o obj/a.o a.c
 *
 * A folder is an order-only prerequisite (behind the bar): it changes with each file in it.
 */
import { isMkdir, makes, opensToWrite } from './accesses.ts';
import type { Pattern } from './pattern.ts';
import { recipeOf, shortened } from './recipe.ts';
import type { Scene, Side } from './scene.ts';
import { isMake } from './shells.ts';

export const missingPrerequisite: Pattern = (scene) => {
  const { ancestorProgram, sides, race } = scene;
  if (!ancestorProgram || !isMake(ancestorProgram)) return undefined;
  const maker = sides.find(({ role }) => role === 'store');
  const user = sides.find(({ role }) => role === 'load');
  if (!maker || !user || !maker.branch || !user.branch) return undefined;
  const path = race.thing.name;
  const isMade = scene.doneTo(path, maker).some((step) => makes(step, path) || opensToWrite(step));
  // Who makes it too has no need to wait for it: that is another mistake.
  const isMadeTwice = scene.doneTo(path, user).some((step) => makes(step, path) || isMkdir(step));
  if (!isMade || isMadeTwice) return undefined;
  const needed = scene.shown(path);
  const prerequisite = isMkdir(maker.step) ? `| ${needed}` : needed;
  const target = targetOf(scene, user);
  const who = target ?? `\`${shortened(recipeOf(user) ?? '')}\``;
  return `make does not know that ${who} needs ${needed}: add it to that rule, \`${target ?? '…'}: ${prerequisite}\``;
};

/** The file that a recipe makes: what it says after -o, or the last one that it has made. */
function targetOf(scene: Scene, side: Side): string | undefined {
  const said = side.branch?.programs.flatMap(({ program: { command } }) => {
    const words = command[1] === '-c' ? (command[2] ?? '').split(/\s+/) : command;
    const after = words.indexOf('-o') + 1;
    return after > 0 ? (words[after] ?? []) : [];
  })[0];
  if (said !== undefined) return said;
  const made = scene
    .doneBy(side)
    .filter((step) => opensToWrite(step) || (step.name2 !== undefined && makes(step, step.name2)))
    .map((step) => step.name2 ?? step.name ?? '')
    .filter((path) => path !== scene.race.thing.name && scene.isInFolder(path));
  const last = made.at(-1);
  return last === undefined ? undefined : scene.shown(last);
}
