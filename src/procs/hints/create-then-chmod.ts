/**
 * A file is created, and only then given the mode that it should have:
 *
 *   echo "$secret" >key; chmod 600 key          in between, anybody can open it
 */
import { does, makes } from './accesses.ts';
import type { Pattern } from './pattern.ts';
import { callName } from './scene.ts';

export const createThenChmod: Pattern = (scene) => {
  const path = scene.race.thing.name;
  for (const side of scene.sides) {
    const done = scene.doneTo(path, side);
    const made = done.findIndex((step) => makes(step, path));
    const isThisRace = side.role === 'store' && does(side.step, 'store', 'attributes');
    if (!isThisRace || made < 0 || !/^f?chmod/.test(callName(side.step))) continue;
    if (done.indexOf(side.step) < made) continue;
    const file = scene.shown(path);
    return `create ${file} with its final mode (\`umask\`, \`install -m\`, or the mode of open), or set it under another name and rename that to ${file}`;
  }
  return undefined;
};
