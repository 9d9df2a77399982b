/**
 * The way to a race as something to walk through: the steps of its witness, and at the end both accesses at
 * once. For every step, which locks each thread holds after it:
 *
 *   worker  acquire m    holds m
 *   worker  release m
 *
 * What was taken before the first of these steps, in a witness that was cut short, is not known.
 */

import { sidesOf } from '../../src/report/both-orders.ts';
import type { Race, Site } from '../../src/report/model.ts';
import { threadName } from '../../src/report/wording.ts';

export interface WalkStep {
  readonly lane: number;
  readonly what: string;
  readonly site?: Site | undefined;
  /** For the last ones: which side it is. */
  readonly side?: number;
}

export interface HeldSpan {
  readonly lane: number;
  readonly lock: string;
  readonly from: number;
  readonly to: number;
  /** How many other locks the thread held already. */
  readonly level: number;
}

export interface Walk {
  readonly lanes: readonly string[];
  readonly steps: readonly WalkStep[];
  readonly held: readonly HeldSpan[];
}

export function walkOf(race: Race): Walk {
  const lanes: string[] = [];
  const laneOf = (who: { thread: number; threadName?: string | undefined }): number => {
    const name = threadName(who);
    const known = lanes.indexOf(name);
    return known >= 0 ? known : lanes.push(name) - 1;
  };
  const before = (race.steps ?? []).map((step): WalkStep => {
    return { lane: laneOf(step), what: step.what, site: step.site };
  });
  const last = sidesOf(race).map(({ access, index }): WalkStep => {
    const what = `${access.op} ${race.object.name}`;
    return { lane: laneOf(access), what, site: access.site, side: index };
  });
  const steps = [...before, ...last];
  return { lanes, steps, held: heldSpans(steps) };
}

function heldSpans(steps: readonly WalkStep[]): HeldSpan[] {
  const spans: HeldSpan[] = [];
  const open: { lane: number; lock: string; from: number; level: number }[] = [];
  for (const [place, { lane, what }] of steps.entries()) {
    const [, verb, lock = ''] = /^(acquire|release)(?:-shared)? ([^,]*)/.exec(what) ?? [];
    if (verb === 'acquire') {
      const level = open.filter((one) => one.lane === lane).length;
      open.push({ lane, lock, from: place, level });
    } else if (verb === 'release') {
      const index = open.findLastIndex((one) => one.lane === lane && one.lock === lock);
      if (index >= 0) spans.push({ ...open.splice(index, 1)[0]!, to: place });
    }
  }
  return [...spans, ...open.map((one) => ({ ...one, to: steps.length - 1 }))];
}
