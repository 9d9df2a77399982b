/**
 * A pipeline whose end empties the file that its beginning reads:
 *
 *   sort list | uniq | tee list        tee may empty list before sort has read it
 */
import type { Pid } from '../../linux/ids.ts';
import type { Step } from '../detect/step.ts';
import { OpenFlag } from '../model/open-flags.ts';
import { does, flagsOf, opensToWrite } from './accesses.ts';
import type { Pattern } from './pattern.ts';
import type { Scene } from './scene.ts';

export const truncatedInput: Pattern = (scene) => {
  const { sides, race } = scene;
  const path = race.thing.name;
  const empties = sides.find((side) =>
    scene
      .doneTo(path, side)
      .some((step) => opensToWrite(step) && (flagsOf(step) & OpenFlag.O_TRUNC) !== 0),
  );
  const reads = sides.find((side) =>
    scene.doneTo(path, side).some((step) => does(step, 'load', 'contents')),
  );
  if (!empties || !reads || empties === reads) return undefined;
  if (!flowsTo(scene, reads.step, empties.step.process)) return undefined;
  const file = scene.shown(path);
  return `the end of the pipeline empties ${file} while its beginning reads it: write to another file and rename that, \`… >${file}.new && mv ${file}.new ${file}\``;
};

/**
 * Whether what the one has read could have reached the other one, be it through others. If the file
 * was emptied in time, nothing but the end of each pipe has.
 */
function flowsTo({ timeline: { steps, took } }: Scene, from: Step, to: Pid): boolean {
  const reached = new Set([from.process]);
  for (const [taking, { givers }] of took) {
    const isGiven = givers.some(
      (giver) => giver > from.event && reached.has(steps[giver]!.process),
    );
    if (isGiven) reached.add(steps[taking]!.process);
  }
  return from.process !== to && reached.has(to);
}
