/**
 * A shell goes on while a job of its own still runs, in the background or in a process substitution:
 *
 *   make_table >table &                tee >(wc -l >count) <list
 *   sort table                         cat count
 */
import type { Step } from '../detect/step.ts';
import { beginningOf } from '../detect/step.ts';
import type { Pattern } from './pattern.ts';
import { callName, type Scene, type Side } from './scene.ts';
import { isShell } from './shells.ts';

export const backgroundJob: Pattern = (scene) => {
  const { ancestorProgram, sides } = scene;
  if (!ancestorProgram || !isShell(ancestorProgram)) return undefined;
  const [job, later] = inOrderOfStart(sides);
  if (!job.branch || isInBackground(scene, later)) return undefined;
  const file = scene.shown(scene.race.thing.name);
  const user = scene.program(later.step).name;
  if (isInBackground(scene, job)) {
    return `${ancestorProgram.name} does not wait for the job in the background: put \`wait\` before ${user} needs ${file}`;
  }
  if (!hasCollectedOthers(scene, job, later)) return undefined;
  return `${ancestorProgram.name} does not wait for a process substitution: put \`wait $!\` before ${user} needs ${file}, or use a pipeline`;
};

function inOrderOfStart([one, other]: readonly [Side, Side]): [Side, Side] {
  const start = ({ branch, step }: Side): number => branch?.from ?? beginningOf(step);
  return start(one) <= start(other) ? [one, other] : [other, one];
}

/** Shells give jobs in the background an empty input. */
function isInBackground(scene: Scene, side: Side): boolean {
  const { branch } = side;
  if (!branch) return false;
  return scene
    .doneTo('/dev/null', side)
    .some((step) => step.process === branch.pid && /^open/.test(callName(step)));
}

/** A pipeline is waited for as a whole: whoever was left out of it was none of its commands. */
function hasCollectedOthers(scene: Scene, job: Side, later: Side): boolean {
  const end = later.branch?.from ?? beginningOf(later.step);
  const isBetween = (step: Step): boolean =>
    beginningOf(step) > job.branch!.from && beginningOf(step) < end;
  return scene.timeline.waits.some(
    ({ step, child }) =>
      step.process === scene.ancestor?.pid && isBetween(step) && child !== job.branch?.pid,
  );
}
