/**
 * Ways to do the same thing, at the same time, taking turns: while one of them runs for a fifth of a second, all others
 * are paused (paused-group.ts). How fast a machine with neighbours is changes by the second, for all of them alike; where
 * whole runs take turns, that is most of what is measured.
 *
 *   native        ████    ████    ████    █            its own time: what it ran for from its beginning to its end,
 *   sampled           ████    ████    ████    ██       without its pauses
 *
 * What runs is a group of processes, such as a program with whatever watches it, or a server with its load. It says
 * itself when its work begins and ends (timed-command.ts): how it is started does not count.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PausedGroup, pausedGroup } from './paused-group.ts';
import { ownTimes, TIMED, type Times, timesIn } from './timed-command.ts';

export const TURN_MS = 200;
/** For what hangs. */
const LONGEST_MS = 600_000;

/** In milliseconds: for how long it ran, and what it had of processors meanwhile. */
export interface Spent {
  readonly running: number;
  readonly processor: number;
}

export interface SpentInTurns extends Spent {
  /** All of its turns: from its start to its end, and not only its work. */
  readonly allTurns: number;
}

/** Something that runs. */
export interface Turner {
  /** When its work began and ended, once it has. */
  readonly ended: Promise<Times>;
  /** Then: what the server had of processors, where its load is what is timed. */
  readonly processor?: () => number;
  /** To be called at last, while it may run. */
  readonly leave?: () => unknown;
}

/** Starts it in a folder and in a group. */
export interface Starter {
  readonly isTraced?: boolean;
  (cwd: string, group: PausedGroup): Turner | Promise<Turner>;
}

/** Something that is run with a prefix. */
export type Work = (prefix: readonly string[]) => Starter;

/** A command that prints when its work began and ended, as `times` reads it. */
export function startTimed(
  command: readonly string[],
  cwd: string,
  group: PausedGroup,
  times: (told: string) => Times = timesIn,
): Turner {
  const [program = '', ...args] = [...group.enter, ...command];
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  group.add(child.pid!);
  const ended = async (): Promise<Times> => {
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`'${command.join(' ')}' ended with ${status}`);
    return times(told);
  };
  return { ended: ended() };
}

/** A command whose work is timed. */
export const timedWork =
  (prefix: readonly string[], command: readonly string[]): Starter =>
  (cwd, group) =>
    startTimed([...prefix, ...TIMED, ...command], cwd, group);

/** A program that says itself how long it took (programs/report.h): nothing stands between it and its tracer. */
export const tracedWork = (tracer: readonly string[], command: readonly string[]): Starter =>
  Object.assign(
    (cwd: string, group: PausedGroup) => startTimed([...tracer, ...command], cwd, group, ownTimes),
    { isTraced: tracer.length > 0 },
  );

interface Running {
  readonly turner: Turner;
  readonly group: PausedGroup;
  /** When it ran, in nanoseconds since 1970. */
  readonly turns: [from: number, to: number][];
  /** What it took, when it has ended. */
  spent?: SpentInTurns;
}

/** Way → what it took. */
export async function takeTurns(
  ways: ReadonlyMap<string, Starter>,
  cwd: string,
  turnMs: number = TURN_MS,
): Promise<ReadonlyMap<string, SpentInTurns>> {
  const running = new Map<string, Running>();
  try {
    for (const [way, start] of ways)
      running.set(way, await begun(start, emptied(ownFolder(cwd, way))));
    const deadline = Date.now() + LONGEST_MS;
    for (;;) {
      const left = [...running.values()].filter(({ spent }) => spent === undefined);
      if (left.length === 0) break;
      if (Date.now() > deadline) throw new Error(`not done after ${LONGEST_MS} ms`);
      for (const one of left) await haveTurn(one, turnMs);
    }
  } finally {
    for (const { turner, group, spent } of running.values()) {
      // If something has gone wrong, the others are not wanted any more.
      if (spent === undefined) group.kill();
      else group.resume();
      await turner.leave?.();
      await group.remove();
    }
  }
  return new Map([...running].map(([way, one]) => [way, one.spent!]));
}

/** What one writes is not to be in the way of the others. */
export const ownFolder = (folder: string, way: string): string =>
  join(folder, `turns-${way.replaceAll(/\W/g, '-')}`);

function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

async function begun(start: Starter, cwd: string): Promise<Running> {
  const from = nanoseconds();
  const group = pausedGroup(start.isTraced ?? false);
  const turner = await startedIn(group, () => start(cwd, group));
  // What goes wrong is heard of in its next turn.
  turner.ended.catch(() => {});
  group.pause();
  return { turner, group, turns: [[from, nanoseconds()]] };
}

async function startedIn<T>(group: PausedGroup, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    group.kill();
    await group.remove();
    throw error;
  }
}

async function haveTurn(one: Running, turnMs: number): Promise<void> {
  const { turner, group, turns } = one;
  const from = nanoseconds();
  group.resume();
  const times = await Promise.race([sleep(turnMs), turner.ended]);
  group.pause();
  turns.push([from, nanoseconds()]);
  if (times === undefined) return;
  const { begin, end, processor } = times;
  one.spent = {
    running: within(turns, begin, end),
    allTurns: within(turns, 0, Number.POSITIVE_INFINITY),
    processor: turner.processor?.() ?? processor,
  };
}

/** Milliseconds of the turns between these times. */
function within(turns: Running['turns'], begin: number, end: number): number {
  const parts = turns.map(([from, to]) => Math.max(0, Math.min(to, end) - Math.max(from, begin)));
  return parts.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

const nanoseconds = (): number => (performance.timeOrigin + performance.now()) * 1e6;
