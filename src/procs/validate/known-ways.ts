/**
 * What a recording gives to go by: for each way in which the program can be run again, the conductor that
 * makes it go that way.
 */
import { assert } from '../../base/assert.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { Run } from '../../trace/run-directory.ts';
import { analyseRecords, readTimeline } from '../analyse.ts';
import { Ambush, type Side } from '../branch/ambush.ts';
import { Branches } from '../branch/branch.ts';
import { FreeConductor } from '../branch/free-conductor.ts';
import { rivals } from '../branch/rivals.ts';
import { familyPaths, unitsOf } from '../branch/serial.ts';
import { Serializer } from '../branch/serializer.ts';
import { unitsThatChanged } from '../branch/units-that-changed.ts';
import { orderInFiles } from '../check/order-in-files.ts';
import type { Timeline } from '../detect/timeline.ts';
import type { Conductor } from '../recorder/conductor.ts';
import { Follower } from '../replay/follower.ts';
import { type Outside, outsideOf } from '../replay/outside/outside-peers.ts';
import { Prompter, type Said } from '../replay/outside/prompter.ts';
import { buildScript, type Script } from '../replay/script.ts';
import { significantCalls } from '../replay/significance.ts';
import { describeInstance } from '../report.ts';
import { type KnownRace, KnownRaces } from './known-races.ts';
import type { Found, ThreadTask, Tried, Way } from './request.ts';

/** Of more, each has to wait for all the others. */
const MOST_UNITS = 20;

/** Is told what may be said to the program now. */
type Say = (utterances: Said) => void;

export interface KnownWays {
  readonly records: readonly TraceRecord[];
  readonly timeline: Timeline;
  readonly found?: Found;
  readonly outside: Outside;
  readonly prompter: Prompter;
  /** undefined: the program cannot run that way. */
  conductorOf(way: Way): Conductor | undefined;
  /** For an alternative instance: how a report tells of it. */
  told(way: Way): Tried['told'];
}

/** Whom the program has talked to, and who tells those that stand in for them when to answer. */
function outsideIn(
  records: readonly TraceRecord[],
  say: Say,
): Pick<KnownWays, 'outside' | 'prompter'> {
  const outside = outsideOf(records);
  return { outside, prompter: new Prompter(outside.cues, say) };
}

/** To look for races would take longer than the run itself. */
export function onlyRecordedOrderOf(run: Run, say: Say): KnownWays {
  const { records, timeline } = readTimeline(run, { salvage: false });
  const script = buildScript(records, significantCalls(timeline));
  assert(script, 'a recording without tasks');
  const { recorded } = new Branches(timeline, script);
  const { outside, prompter } = outsideIn(records, say);
  return {
    records,
    timeline,
    outside,
    prompter,
    conductorOf: ({ kind }) =>
      kind === 'recorded' ? new Follower(recorded, false, prompter) : undefined,
    told: () => undefined,
  };
}

export function waysOf(
  run: Run,
  { version, all, recordsAttempts }: ThreadTask,
  say: Say,
): KnownWays {
  const analysis = analyseRecords(run, version, { salvage: false, all });
  const { records, timeline, report } = analysis;
  const { outside, prompter } = outsideIn(records, say);
  const races = new KnownRaces(run, analysis);
  const conductorOf = (way: Way): Conductor | undefined => {
    if (way.kind === 'recorded') return new Follower(races.sure.recorded, false, prompter);
    if (way.kind === 'free') return new FreeConductor();
    if (way.kind === 'serial-like') {
      const units = unitsThatChanged(run, way.trace, new Set(way.paths));
      const isWorthIt = units.length > 2 && units.length <= MOST_UNITS;
      return isWorthIt ? new Serializer(...units) : undefined;
    }
    const { race, branches } = races.at(way.race);
    if (way.kind === 'branch') {
      const parts = branches.instancesOf(race)[way.instance];
      const course = parts && branches.of({ kind: race.kind, parts });
      return course && new Follower(course, recordsAttempts, prompter);
    }
    if (way.kind === 'ambush') return ambushFor(races.at(way.race), races.script);
    const parts = branches.instancesOf(race)[way.instance] ?? race.parts;
    const [one, other] = rivals({ kind: race.kind, parts }).map((step) => branches.taskOf(step));
    const units = one && other && unitsOf(races.script, one, other);
    if (!units) return undefined;
    return way.turned ? new Serializer(units[1], units[0]) : new Serializer(...units);
  };
  const told = (way: Way): Tried['told'] => {
    if (way.kind !== 'branch' || way.instance === 0) return undefined;
    const { race, id, timeline: seen, branches } = races.at(way.race);
    const parts = branches.instancesOf(race)[way.instance]!;
    const thing = parts[0]?.thing ?? race.thing;
    const { race: instance, tasks } = describeInstance(run, seen, { ...race, parts, thing }, id);
    return { races: [{ ...instance, instance: way.instance }], tasks };
  };
  const found = { report, doubtful: races.doubtful, orderIn: orderInFiles(timeline) };
  return { records, timeline, found, outside, prompter, conductorOf, told };
}

/** Only calls can be waited for: they have names to know them by. */
function ambushFor({ race, branches }: KnownRace, script: Script): Ambush | undefined {
  const paths = familyPaths(script);
  const sides = race.parts.flatMap(({ step }): Side[] => {
    const task = branches.taskOf(step);
    const path = task && paths.get(task);
    return path && step.record.kind === 'call' ? [{ path, call: step.record }] : [];
  });
  const [held, awaited] = sides;
  const isKnown = held?.call.path !== undefined && awaited?.call.path !== undefined;
  return race.kind === 'load-store' && isKnown ? new Ambush(held, awaited) : undefined;
}

/** Why the program did not go the way that it was to be led. */
export function divergenceOf(conductor: Conductor): string | undefined {
  if (conductor instanceof Ambush) return conductor.divergence;
  if (!(conductor instanceof Follower)) return undefined;
  if (conductor.divergence) return conductor.divergence.reason;
  return conductor.isThrough ? undefined : 'it ended before it got there';
}
