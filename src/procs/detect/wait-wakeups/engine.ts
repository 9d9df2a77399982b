/**
 * Wait-wakeups races: a wait that may be woken by more than one event, such as a wait for any child
 * when two of them are about to end, or a read from a pipe that two processes write into.
 *
 *   P1   fork ─ fork ────────────── wait        takes P2 or P3, whichever has ended by then
 *   P2      ╲──────── exit
 *   P3           ╲──────── exit
 *
 * Or a read that may get the bytes of one write or of two, see cumulative-reads.ts.
 *
 * A shell that waits for all its children takes them in any order and does nothing in between:
 * such races are marked as without consequence. So are those between children that ran programs of
 * their own and ended alike, which is how make and other runners of jobs wait.
 */
import { distance } from '../distance.ts';
import { concurrentPairs, loadStoreRace } from '../load-store/engine.ts';
import type { Pair } from '../load-store/root-causes.ts';
import { objectShape } from '../object-shape.ts';
import type { DetectedRace } from '../race.ts';
import { beginningOf, endOf, type Step } from '../step.ts';
import type { Timeline } from '../timeline.ts';
import { ifTokens } from '../tokens.ts';
import { Consequences } from './consequences.ts';
import { cumulativeRace, cumulativeReads } from './cumulative-reads.ts';
import type { AmbiguousWait } from './event.ts';
import { UncollectedChildren } from './state.ts';

export function detectWaitWakeupsRaces(timeline: Timeline): {
  races: DetectedRace[];
  warnings: string[];
} {
  const streams = concurrentPairs(timeline, timeline.transfers, ['sent']);
  return {
    races: [
      ...childRaces(timeline),
      ...streams.pairs.map((pair) => streamRace(pair, timeline)),
      ...readRaces(timeline),
    ],
    warnings: streams.warnings,
  };
}

function childRaces(timeline: Timeline): DetectedRace[] {
  const consequences = new Consequences(timeline);
  const causes = new Map<string, DetectedRace>();
  for (const ambiguous of ambiguousWaits(timeline)) {
    const race = childRace(ambiguous, timeline, consequences.missing(ambiguous));
    const { wait, taken, other } = ambiguous;
    const programs = [taken, other].map((step) => programOf(timeline, step)).sort();
    const key = [programOf(timeline, wait.step), ...programs].join('\0');
    causes.set(key, merged(causes.get(key), race));
  }
  return [...causes.values()];
}

function readRaces(timeline: Timeline): DetectedRace[] {
  const causes = new Map<string, DetectedRace>();
  for (const found of cumulativeReads(timeline)) {
    const race = cumulativeRace(found, timeline);
    const programs = [found.read, found.first, found.second].map((one) => programOf(timeline, one));
    const key = [objectShape(race.thing.name), ...programs].join('\0');
    causes.set(key, merged(causes.get(key), race));
  }
  return [...causes.values()];
}

/** The closest one stands for all, but one with consequences goes first. */
function merged(known: DetectedRace | undefined, race: DetectedRace): DetectedRace {
  if (!known) return race;
  const occurrences = known.occurrences + race.occurrences;
  const isWorse = known.withoutConsequence !== undefined && race.withoutConsequence === undefined;
  const isAsBad =
    (known.withoutConsequence === undefined) === (race.withoutConsequence === undefined);
  const better = isWorse || (isAsBad && race.distance < known.distance) ? race : known;
  return { ...better, occurrences };
}

function ambiguousWaits(timeline: Timeline): AmbiguousWait[] {
  const { steps, waits, tasks } = timeline;
  const ends = endsByLife(timeline);
  const children = new UncollectedChildren(timeline);
  const found: Omit<AmbiguousWait, 'next'>[] = [];
  for (const step of steps) {
    const { record } = step;
    if (record.kind === 'start') {
      const life = tasks.lifeAt(record.tid, record.sequence);
      children.born(step, record.pid, life && ends.get(life));
    } else if (record.kind === 'call' && record.reaped) {
      const ambiguous = children.collected(step);
      if (ambiguous) found.push(ambiguous);
    }
  }
  const collectors = new Map(waits.map((wait) => [ends.get(lifeOf(timeline, wait)!), wait]));
  return found.map((ambiguous) => ({ ...ambiguous, next: collectors.get(ambiguous.other) }));
}

const lifeOf = ({ tasks }: Timeline, { child, step }: Timeline['waits'][number]) =>
  tasks.lifeAt(child as number as Step['task'], beginningOf(step));

/** The last end of a thread is the end of its process. */
function endsByLife({ steps, tasks }: Timeline): Map<object, Step> {
  const ends = new Map<object, Step>();
  for (const step of steps) {
    if (step.record.kind !== 'exit') continue;
    const life = tasks.lifeAt(step.process as number as Step['task'], endOf(step));
    if (life) ends.set(life, step);
  }
  return ends;
}

function childRace(
  { wait, taken, other }: AmbiguousWait,
  { graph, tasks }: Timeline,
  withoutConsequence: string | undefined,
): DetectedRace {
  const { process } = wait.step;
  const number = tasks.ownNumber(process, beginningOf(wait.step));
  const ends = [taken, other].map((step) => ({ step, role: 'wakeup' as const, verb: 'ends' }));
  const parts = [...ends, { step: wait.step, role: 'wait' as const, verb: 'waits for any child' }];
  return {
    kind: 'wait-wakeups',
    thing: { key: `children of ${process}`, name: `children of process ${number}` },
    type: 'process',
    parts: parts.sort((a, b) => endOf(a.step) - endOf(b.step)),
    occurrences: 1,
    distance: distance(graph, taken.event, other.event),
    isOutput: false,
    withoutConsequence,
  };
}

/** Where nobody in the recording reads what two have written, it is the order of output. */
function streamRace(pair: Pair, timeline: Timeline): DetectedRace {
  const race = loadStoreRace(pair, timeline.graph);
  const [a, b] = pair.sides;
  const { takenBy, steps } = timeline;
  const reader = takenBy.get(a.step.event) ?? takenBy.get(b.step.event);
  if (reader === undefined) return race;
  const wait = { step: steps[reader]!, role: 'wait' as const, verb: 'waits for' };
  const wakeups = race.parts.map((part) => ({ ...part, role: 'wakeup' as const }));
  return {
    ...race,
    kind: 'wait-wakeups',
    alternatives: [],
    parts: [...wakeups, wait].sort((one, other) => endOf(one.step) - endOf(other.step)),
    isOutput: false,
    ...ifTokens(pair.sides),
  };
}

const programOf = ({ tasks }: Timeline, step: Step): string =>
  tasks.programAt(step.task, beginningOf(step)).name;
