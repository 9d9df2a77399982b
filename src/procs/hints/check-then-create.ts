/**
 * Each side looks whether something is there, and makes it if not; between the look and the making
 * the other one may have made it:
 *
 *   [ -d out ] || mkdir out          both find nothing, one mkdir fails
 *   [ -e lock ] || touch lock        both find nothing, and both have "the lock"
 */

import { errnoNumber } from '../../linux/errno.ts';
import type { Step } from '../detect/step.ts';
import { OpenFlag } from '../model/open-flags.ts';
import { flagsOf, isMkdir, isOpen, makes } from './accesses.ts';
import type { Pattern } from './pattern.ts';
import { resultOf, type Scene, type Side } from './scene.ts';

const ENOENT = -(errnoNumber('ENOENT') ?? 0);
const EEXIST = -(errnoNumber('EEXIST') ?? 0);

export const checkThenCreate: Pattern = (scene) => {
  const path = scene.race.thing.name;
  const tries = scene.sides.map((side) => scene.doneTo(path, side).find(isTry));
  if (tries.some((step) => step === undefined)) return undefined;
  const [one, other] = tries as [Step, Step];
  const file = scene.shown(path);
  if (isMkdir(one) && isMkdir(other)) {
    const isReady = [one, other].every((step) => scene.program(step).command.some(isParents));
    return isReady
      ? undefined
      : `use \`mkdir -p ${file}\`, which does not mind if it is there, without looking first`;
  }
  if (!scene.sides.some((side) => looksFirst(scene, side, path))) return undefined;
  return `looking for ${file} and creating it must be one step: create it with O_EXCL (\`set -C\` in a shell, or \`mkdir\` instead), and see by its failure that another was first; or hold a lock (\`flock\`) around both`;
};

/** Makes it, or would have. */
function isTry(step: Step): boolean {
  if (isMkdir(step)) return resultOf(step) >= 0 || resultOf(step) === EEXIST;
  if (!isOpen(step) || resultOf(step) < 0) return false;
  return (flagsOf(step) & (OpenFlag.O_CREAT | OpenFlag.O_EXCL)) === OpenFlag.O_CREAT;
}

/** `-p`, `--parents`, `-pv` */
const isParents = (word: string): boolean => /^(-[a-z]*p|--parents$)/.test(word);

function looksFirst(scene: Scene, side: Side, path: string): boolean {
  const done = scene.doneTo(path, side);
  const look = done.findIndex((step) => resultOf(step) === ENOENT);
  return look >= 0 && done.slice(look).some((step) => makes(step, path) || isTry(step));
}
