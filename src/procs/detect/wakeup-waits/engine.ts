/**
 * Wakeup-waits races: one event may wake any of several that wait, such as a connection for which
 * two servers call accept, or a line in a pipe that two processes read from.
 *
 *   P1   connect ─────────────
 *   P2            accept            gets the connection, or P3 does
 *   P3            accept
 *
 * Two that take from one stream, and that nothing orders, could have changed places.
 */
import { concurrentPairs, loadStoreRace } from '../load-store/engine.ts';
import type { DetectedRace } from '../race.ts';
import { endOf } from '../step.ts';
import type { Timeline } from '../timeline.ts';
import { ifTokens } from '../tokens.ts';
import type { SharedWakeup } from './event.ts';
import { sharedWakeup } from './state.ts';

export function detectWakeupWaitsRaces(timeline: Timeline): {
  races: DetectedRace[];
  warnings: string[];
} {
  const { pairs, warnings } = concurrentPairs(timeline, timeline.transfers, ['taken']);
  const shared = pairs.map((takers) => sharedWakeup(takers, timeline));
  return { races: shared.map((one) => raceOf(one, timeline)), warnings };
}

/** Where what was taken came from outside, only the two takers are known. */
function raceOf({ takers, wakeup }: SharedWakeup, { graph }: Timeline): DetectedRace {
  const race = loadStoreRace(takers, graph);
  if (!wakeup) return race;
  const waits = race.parts.map((part) => ({ ...part, role: 'wait' as const }));
  const parts = [...waits, { step: wakeup, role: 'wakeup' as const, verb: 'writes to' }];
  return {
    ...race,
    kind: 'wakeup-waits',
    alternatives: [],
    parts: parts.sort((one, other) => endOf(one.step) - endOf(other.step)),
    ...ifTokens(takers.sides),
  };
}
