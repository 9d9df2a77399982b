/**
 * The thread that knows the recording, and runs the program again as it is told. It blocks while the
 * program runs; the main thread (attempt-thread.ts) watches the clock and empties pipes meanwhile.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import { toPlainError } from '../../base/plain-error.ts';
import { tryTo } from '../../base/result.ts';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { Run } from '../../trace/run-directory.ts';
import { readRunInfo } from '../../trace/run-info.ts';
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
import { attempt } from '../replay/attempt.ts';
import type { Drain } from '../replay/captured-output.ts';
import { Follower } from '../replay/follower.ts';
import { recordedAnswers } from '../replay/made-up/recorded-answers.ts';
import { type Outside, outsideOf } from '../replay/outside/outside-peers.ts';
import { Prompter, type Said } from '../replay/outside/prompter.ts';
import { Strangers } from '../replay/outside/strangers.ts';
import { buildScript, type Script } from '../replay/script.ts';
import { significantCalls } from '../replay/significance.ts';
import { readProgram } from '../replay/stored-program.ts';
import { describeInstance } from '../report.ts';
import { type KnownRace, KnownRaces } from './known-races.ts';
import { missingSurroundings } from './missing-surroundings.ts';
import { requireWithinReach } from './out-of-reach.ts';
import {
  type Answer,
  END,
  type Found,
  type Request,
  type ThreadTask,
  type Tried,
  type Way,
} from './request.ts';

/** Of more, each has to wait for all the others. */
const MOST_UNITS = 20;

const { runPath, home, version, all, recordsAttempts, onlyRecordedOrder } =
  workerData as ThreadTask;
const run = new Run(runPath, readRunInfo(runPath), home);
const tell = (answer: Answer): void => parentPort?.postMessage(answer);

/** What there is to go by. */
interface Prepared {
  readonly records: readonly TraceRecord[];
  readonly timeline: Timeline;
  readonly found?: Found;
  readonly outside: Outside;
  readonly prompter: Prompter;
  conductorOf(way: Way): Conductor | undefined;
  told(way: Way): Tried['told'];
}

/** Whom the program has talked to, and who tells those that stand in for them when to answer. */
function outsideIn(records: readonly TraceRecord[]): Pick<Prepared, 'outside' | 'prompter'> {
  const outside = outsideOf(records);
  const say = (utterances: Said): void => tell({ kind: 'say', utterances });
  return { outside, prompter: new Prompter(outside.cues, say) };
}

/** To look for races would take longer than the run itself. */
function prepareRecordedOrder(): Prepared {
  const { records, timeline } = readTimeline(run, { salvage: false });
  const script = buildScript(records, significantCalls(timeline));
  assert(script, 'a recording without tasks');
  const { recorded } = new Branches(timeline, script);
  const { outside, prompter } = outsideIn(records);
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

function prepareRaces(): Prepared {
  const analysis = analyseRecords(run, version, { salvage: false, all });
  const { records, timeline, report } = analysis;
  const { outside, prompter } = outsideIn(records);
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
    const { race: instance, tasks } = describeInstance(run, seen, { ...race, parts }, id);
    return { races: [{ ...instance, instance: way.instance }], tasks };
  };
  const found = { report, doubtful: races.doubtful, orderIn: orderInFiles(timeline) };
  return { records, timeline, found, outside, prompter, conductorOf, told };
}

/** What attempts have left that nobody needs: it is removed while others look at the rest. */
const rubbish: string[] = [];

function prepare(): (request: Request) => Tried | undefined {
  const prepared = onlyRecordedOrder ? prepareRecordedOrder() : prepareRaces();
  const { records, timeline, found, outside, prompter, conductorOf, told } = prepared;
  const stored = readProgram(run);
  const answers = recordedAnswers(records, timeline.steps);
  const missing = missingSurroundings(stored, records, outside.peers);
  const { umask } = stored;
  tell({ kind: 'ready', ...(found && { found }), umask, missing, outside: outside.peers });
  return ({ way, folder, control }) => {
    const conductor = conductorOf(way);
    if (!conductor) return undefined;
    requireWithinReach(run, records);
    const drain = (one: Drain): void => tell({ kind: 'drain', drain: one });
    const remove = (path: string): void => void rubbish.push(path);
    const listening = {
      at: outside.peers,
      opened: (peer: number, fd: number) => tell({ kind: 'stand-in', peer, listening: fd }),
    };
    if (!(conductor instanceof Follower)) prompter.letGo();
    const strangers = new Strangers(outside);
    const watch = (record: TraceRecord): void => strangers.note(record);
    const around = { run, stored, records, answers, outside: listening, watch, drain, remove };
    const outcome = attempt({ ...around, folder, control, conductor });
    const diverged = strangers.trouble ?? divergenceOf(conductor);
    const outOfTurn = conductor instanceof Follower ? conductor.outOfTurn : undefined;
    return { outcome, diverged, outOfTurn, told: told(way) };
  };
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

function divergenceOf(conductor: Conductor): string | undefined {
  if (conductor instanceof Ambush) return conductor.divergence;
  if (!(conductor instanceof Follower)) return undefined;
  if (conductor.divergence) return conductor.divergence.reason;
  return conductor.isThrough ? undefined : 'it ended before it got there';
}

try {
  const perform = prepare();
  parentPort?.on('message', (request: Request | typeof END) => {
    if (request === END) return parentPort?.close();
    try {
      tell({ kind: 'tried', tried: perform(request) });
    } catch (error) {
      tell({ kind: 'broken', error: toPlainError(error) });
    }
    for (const path of rubbish.splice(0)) void tryTo(() => removeTree(path));
  });
} catch (error) {
  tell({ kind: 'broken', error: toPlainError(error) });
}
