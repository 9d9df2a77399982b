/**
 * The thread that knows the recording, and runs the program again as it is told. It blocks while the
 * program runs; the main thread (attempt-thread.ts) watches the clock and empties pipes meanwhile.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import { toPlainError } from '../../base/plain-error.ts';
import { openRunDirectory } from '../../trace/open-run.ts';
import { analyseRecords } from '../analyse.ts';
import { Branches } from '../branch/branch.ts';
import { unitsOf } from '../branch/serial.ts';
import { Serializer } from '../branch/serializer.ts';
import type { Conductor } from '../recorder/conductor.ts';
import { attempt } from '../replay/attempt.ts';
import type { Drain } from '../replay/captured-output.ts';
import { Follower } from '../replay/follower.ts';
import { buildScript } from '../replay/script.ts';
import { significantCalls } from '../replay/significance.ts';
import { readProgram } from '../replay/stored-program.ts';
import { describeInstance } from '../report.ts';
import type { Answer, Request, ThreadTask, Tried, Way } from './request.ts';

const { runPath, version, all } = workerData as ThreadTask;
const run = openRunDirectory(runPath);
const tell = (answer: Answer): void => parentPort?.postMessage(answer);

function prepare(): (request: Request) => Tried | undefined {
  const { records, timeline, races, report } = analyseRecords(run, version, {
    salvage: false,
    all,
  });
  const stored = readProgram(run);
  const script = buildScript(records, significantCalls(timeline));
  assert(script, 'a recording without tasks');
  const branches = new Branches(timeline, script);
  const conductorOf = (way: Way): Conductor | undefined => {
    if (way.kind === 'recorded') return new Follower(branches.recorded);
    const race = races[way.race];
    assert(race, 'no such race');
    if (way.kind === 'branch') {
      const parts = branches.instancesOf(race)[way.instance];
      const course = parts && branches.of({ kind: race.kind, parts });
      return course && new Follower(course);
    }
    const [one, other] = race.parts.map(({ step }) => branches.taskOf(step));
    const units = one && other && unitsOf(script, one, other);
    if (!units) return undefined;
    return way.turned ? new Serializer(units[1], units[0]) : new Serializer(...units);
  };
  const told = (way: Way): Tried['told'] => {
    if (way.kind !== 'branch' || way.instance === 0) return undefined;
    const race = races[way.race]!;
    const parts = branches.instancesOf(race)[way.instance]!;
    const { id } = report.races[way.race]!;
    const { race: instance, tasks } = describeInstance(run, timeline, { ...race, parts }, id);
    return { races: [{ ...instance, instance: way.instance }], tasks };
  };
  tell({ kind: 'ready', report });
  return ({ way, folder, control }) => {
    const conductor = conductorOf(way);
    if (!conductor) return undefined;
    const drain = (one: Drain): void => tell({ kind: 'drain', drain: one });
    const outcome = attempt({ run, stored, records, folder, control, conductor, drain });
    const diverged = conductor instanceof Follower ? divergenceOf(conductor) : undefined;
    return { outcome, diverged, told: told(way) };
  };
}

function divergenceOf(follower: Follower): string | undefined {
  if (follower.divergence) return follower.divergence.reason;
  return follower.isThrough ? undefined : 'it ended before it got there';
}

try {
  const perform = prepare();
  parentPort?.on('message', (request: Request) => {
    try {
      tell({ kind: 'tried', tried: perform(request) });
    } catch (error) {
      tell({ kind: 'broken', error: toPlainError(error) });
    }
  });
} catch (error) {
  tell({ kind: 'broken', error: toPlainError(error) });
}
