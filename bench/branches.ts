/** How long it takes to make execution branches of a recording. */

import { Branches } from '../src/procs/branch/branch.ts';
import { detectRaces } from '../src/procs/detect/detect.ts';
import type { DetectedRace } from '../src/procs/detect/race.ts';
import type { Timeline } from '../src/procs/detect/timeline.ts';
import { buildScript } from '../src/procs/replay/script.ts';
import { significantCalls } from '../src/procs/replay/significance.ts';
import type { TraceRecord } from '../src/trace/records/record.ts';
import { milliseconds } from './measure.ts';

export interface GenerationTimes {
  /** The script and its dependencies, which all branches share. */
  readonly onceMs: number;
  /** Of each race, the branch of its first instance. */
  readonly eachMs: readonly number[];
}

export function timeBranches(
  records: readonly TraceRecord[],
  timeline: Timeline,
  races: readonly DetectedRace[] = detectRaces(timeline).races,
): GenerationTimes {
  let branches: Branches | undefined;
  const onceMs = milliseconds(() => {
    const script = buildScript(records, significantCalls(timeline));
    branches = script && new Branches(timeline, script);
  });
  const eachMs = races.map((race) =>
    milliseconds(() => {
      const [parts] = branches!.instancesOf(race);
      branches!.of({ kind: race.kind, parts: parts! });
    }),
  );
  return { onceMs, eachMs };
}
