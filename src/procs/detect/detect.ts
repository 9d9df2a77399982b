/** All detectors over one timeline; the races in the order in which they are worth looking at. */

import { detectLoadStoreRaces } from './load-store/engine.ts';
import type { DetectedRace } from './race.ts';
import { detectSignalRaces } from './signals/engine.ts';
import type { Timeline } from './timeline.ts';
import { detectWaitWakeupsRaces } from './wait-wakeups/engine.ts';
import { detectWakeupWaitsRaces } from './wakeup-waits/engine.ts';

export interface Detection {
  races: DetectedRace[];
  warnings: string[];
}

export function detectRaces(timeline: Timeline): Detection {
  const found = [
    detectLoadStoreRaces(timeline),
    detectWaitWakeupsRaces(timeline),
    detectWakeupWaitsRaces(timeline),
    { races: detectSignalRaces(timeline), warnings: [] },
  ];
  return {
    races: found.flatMap(({ races }) => races).sort(byRank),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

/** Those without consequence last, before them output, and among the others the closest first. */
function byRank(a: DetectedRace, b: DetectedRace): number {
  const rank = ({ withoutConsequence, isOutput }: DetectedRace): number =>
    withoutConsequence ? 2 : isOutput ? 1 : 0;
  return rank(a) - rank(b) || a.distance - b.distance;
}
