/**
 * What a race can be mended with, if it looks like one that everybody has made before:
 *
 *   two sh read counter and write it back       hold a lock from the reading to the writing …
 *
 * Each pattern has a file of its own; the first that knows the race is asked, so the more special
 * ones come first. A race that none of them knows has no hint: a wrong one would cost more time than
 * none.
 */
import type { DetectedRace } from '../detect/race.ts';
import type { Timeline } from '../detect/timeline.ts';
import { appendWithoutFlag } from './append-without-flag.ts';
import { backgroundJob } from './background-job.ts';
import { checkThenCreate } from './check-then-create.ts';
import { createThenChmod } from './create-then-chmod.ts';
import { missingPrerequisite } from './missing-prerequisite.ts';
import type { Pattern } from './pattern.ts';
import { readModifyWrite } from './read-modify-write.ts';
import { repeatedRecipe } from './repeated-recipe.ts';
import { Scene } from './scene.ts';
import { signalBeforeHandler } from './signal-before-handler.ts';
import { truncatedInput } from './truncated-input.ts';
import { unlinkBeforeRename } from './unlink-before-rename.ts';

const OF_TWO_ACCESSES: readonly Pattern[] = [
  repeatedRecipe,
  missingPrerequisite,
  truncatedInput,
  unlinkBeforeRename,
  createThenChmod,
  checkThenCreate,
  readModifyWrite,
  appendWithoutFlag,
  backgroundJob,
];

/** `folder`: where the command ran; paths in it are told from there. */
export function hintFor(
  race: DetectedRace,
  timeline: Timeline,
  folder: string,
): string | undefined {
  if (race.kind === 'signal') return signalBeforeHandler(race, timeline);
  if (race.kind !== 'load-store' || race.isOutput) return undefined;
  const scene = new Scene(race, timeline, folder);
  for (const pattern of OF_TWO_ACCESSES) {
    const hint = pattern(scene);
    if (hint !== undefined) return hint;
  }
  return undefined;
}
