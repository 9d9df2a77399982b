/** A command that says itself when it begins and ends, so that what is around it can be told apart. */
import { spawnSync } from 'node:child_process';
import { milliseconds } from './measure.ts';

export interface Sample {
  /** The command itself. */
  running: number;
  /** With all that starts it. */
  whole: number;
  /** What the command had of processors. */
  processor: number;
}

/** Put before the command. */
export const TIMED = ['sh', '-c', 'date +%s%N; "$@" >/dev/null || exit; date +%s%N; times', 'sh'];

export function timed([program = '', ...args]: readonly string[], folder: string): Sample {
  let stdout = '';
  const whole = milliseconds(() => {
    const done = spawnSync(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(`'${program}' ended with ${done.status}`);
    ({ stdout } = done);
  });
  const { begin, end, processor } = timesIn(stdout);
  return { running: (end - begin) / 1e6, whole, processor };
}

/** Nanoseconds since 1970, to some hundred of them, and milliseconds of processors. */
export interface Times {
  readonly begin: number;
  readonly end: number;
  readonly processor: number;
}

/** What TIMED prints. */
export function timesIn(told: string): Times {
  const [begin = '0', end = '0', , ofChildren = ''] = told.trim().split('\n');
  return { begin: Number(begin), end: Number(end), processor: millisecondsIn(ofChildren) };
}

/** What the programs of bench/programs print (report.h), whatever else is printed. */
export function ownTimes(told: string): Times {
  const [, took, processor, end] = /^-?\d+ (\d+) (\d+) (\d+)$/m.exec(told)!.map(Number);
  return { begin: end! - took!, end: end!, processor: processor! / 1e6 };
}

/** `0m1.250000s 0m0.010000s`: of users and of the kernel, as times(1p) prints it. */
const millisecondsIn = (line: string): number =>
  [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1000,
    0,
  );
