/**
 * Races that there are only if a wait has met a child in passing (timeline.ts). Nobody can tell that
 * from a recording: they are worth telling only once they have been run the other way round.
 */

import { detectRaces } from './detect.ts';
import { objectShape } from './object-shape.ts';
import type { DetectedRace } from './race.ts';
import { beginningOf } from './step.ts';
import type { Timeline } from './timeline.ts';

/** To try one takes as long as to run the program. */
const MOST_DOUBTFUL = 20;

/** `known`: those that there are in any case. */
export function doubtfulRaces(
  timeline: Timeline,
  known: readonly DetectedRace[],
): readonly DetectedRace[] {
  const cause = ({ thing, parts }: DetectedRace): string => {
    const parties = parts.map(({ step, verb }) => {
      const { name } = timeline.tasks.programAt(step.task, beginningOf(step));
      return `${name} ${verb}`;
    });
    return [objectShape(thing.name), ...parties.sort()].join('\0');
  };
  const causes = new Set(known.map(cause));
  const isNew = (race: DetectedRace): boolean =>
    race.kind === 'load-store' &&
    // Whether a child lives is just what the wait was about.
    race.type !== 'process' &&
    !race.isOutput &&
    race.withoutConsequence === undefined &&
    !causes.has(cause(race));
  return detectRaces(timeline).races.filter(isNew).slice(0, MOST_DOUBTFUL);
}
