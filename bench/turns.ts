/**
 * Ways to do the same thing, at the same time, taking turns: while one of them runs for a fifth of a second, all others
 * are stopped (SIGSTOP). How fast a machine with neighbours is changes by the second, for all of them alike; where
 * whole runs take turns, that is most of what is measured.
 *
 *   native        ████    ████    ████    █            its own time: what it ran for from its beginning to its end,
 *   sampled           ████    ████    ████    ██       without what it was stopped for
 *
 * What runs is a group of processes, such as a program with whatever watches it, or a server with its load. It says
 * itself when its work begins and ends (timed-command.ts): how it is started does not count.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TIMED, timesIn } from './timed-command.ts';

const TURN_MS = 200;
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
  /** Process groups that are stopped and go on together. */
  readonly groups: readonly number[];
  /** What TIMED has printed, when it has ended. */
  readonly ended: Promise<string>;
  /** Then: what the server had of processors, where TIMED is its load. */
  readonly processor?: () => number;
  /** To be called at last, while it may run. */
  readonly leave?: () => unknown;
}

export type Starter = (cwd: string) => Turner | Promise<Turner>;

/** A command whose work is timed; what is before TIMED in it is not. */
export function startTimed(command: readonly string[], cwd: string): Turner {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const ended = async (): Promise<string> => {
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`'${command.join(' ')}' ended with ${status}`);
    return told;
  };
  return { groups: [child.pid!], ended: ended() };
}

export const timedWork =
  (prefix: readonly string[], command: readonly string[]): Starter =>
  (cwd) =>
    startTimed([...prefix, ...TIMED, ...command], cwd);

interface Running {
  readonly turner: Turner;
  /** When it ran, in nanoseconds since 1970. */
  readonly turns: [from: number, to: number][];
  /** What it took, when it has ended. */
  spent?: SpentInTurns;
}

/** Way → what it took. */
export async function takeTurns(
  ways: ReadonlyMap<string, Starter>,
  cwd: string,
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
      for (const one of left) await haveTurn(one);
    }
  } finally {
    for (const { turner, spent } of running.values()) {
      // If something has gone wrong, the others are not wanted any more.
      signal(turner, spent === undefined ? 'SIGKILL' : 'SIGCONT');
      await turner.leave?.();
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
  const turner = await start(cwd);
  // What goes wrong is heard of in its next turn.
  turner.ended.catch(() => {});
  signal(turner, 'SIGSTOP');
  return { turner, turns: [[from, nanoseconds()]] };
}

async function haveTurn(one: Running): Promise<void> {
  const { turner, turns } = one;
  const from = nanoseconds();
  signal(turner, 'SIGCONT');
  const told = await Promise.race([sleep(TURN_MS), turner.ended]);
  signal(turner, 'SIGSTOP');
  turns.push([from, nanoseconds()]);
  if (told === undefined) return;
  const { begin, end, processor } = timesIn(told);
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

function signal({ groups }: Turner, name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  for (const group of groups) {
    try {
      process.kill(-group, name);
    } catch {
      // It has ended.
    }
  }
}
