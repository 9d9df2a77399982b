/**
 * What watching finds, and what it costs.
 *
 *   caught     rw-race at 100 hits/s, 20 runs: in how many its race is caught within 5 s, and after how long
 *   compute    two threads that multiply matrices for some seconds: time divided by the native one of the same round,
 *   redis      at several rates, with a window of 1 ms; the same for redis-server under load. Asked: at most 1.10 at
 *              50 hits/s; 1.00 with breakpoints that nobody comes to. `at least` is what the windows alone would
 *              take: of two threads that compute, or of the one that serves all requests, one is held for their time
 *   attach     redis-server under load is attached to and let go, 50 times: requests that were answered, and whether
 *              it still runs
 *   kernel     modules in a guest (examples/watch-kernel): whether their race is caught within 3 minutes, 5 times;
 *              their twins, once each, for as long as the slowest catch took
 *
 * `npm run bench -- watch caught` measures only that.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../src/report/model.ts';
import { attachToRedis } from './attach-redis.ts';
import { tellComparison } from './comparison.ts';
import { chosen, median } from './measure.ts';
import { serveRedis } from './redis.ts';
import { compileProgram, timeProgram } from './traced-programs.ts';
import { watchKernel } from './watch-kernel.ts';

const CATCHES = 20;
const CATCH_WITHIN_S = 5;
const ROUNDS = 5;
const WINDOW_MS = 1;
const RATES = [10, 50, 200, 1000];
const ASKED_SLOWDOWN = 1.1;
const ASKED_AT_RATE = 50;
/** Some four seconds, with matrices that fit into a processor's own cache: who else uses memory would tell as well. */
const MATRIX = ['200', '1000'];
const REDIS_LOAD = ['-q', '-n', '80000', '-c', '20', '-t', 'set,get,lpush'];
const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const parts: Record<string, () => void | Promise<void>> = {
    caught: () => caught(folder),
    compute: () =>
      slowdown({
        ...{ what: 'compute', folder, threads: 2 },
        ...{ run: compute(folder), unhit: withNeverCalled(folder) },
      }),
    redis: () => {
      const run: Timed = (prefix) => serveRedis(prefix, folder, { load: REDIS_LOAD }).running;
      slowdown({ what: 'redis', folder, threads: 1, run });
    },
    attach: () => attachToRedis(folder, MAIN),
    kernel: () => watchKernel(folder, MAIN),
  };
  try {
    for (const part of chosen(Object.keys(parts), words)) await parts[part]!();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function caught(folder: string): void {
  const program = join(folder, 'rw-race');
  const source = join(process.cwd(), 'examples', 'watch', 'rw-race', 'racy.c');
  spawnSync('cc', ['-O2', '-g', '-pthread', source, '-o', program], { stdio: 'inherit' });
  const after: number[] = [];
  for (let time = 0; time < CATCHES; time++) {
    const json = join(folder, 'report.json');
    const options = ['--rate', '100', '--json', json, '-o', join(folder, 'run')];
    const command = [MAIN, 'watch', '-q', ...options, '--', program, String(CATCH_WITHIN_S)];
    spawnSync(process.execPath, command, { cwd: folder, stdio: 'ignore' });
    const { races, stats } = reportIn(json);
    if (races.length > 0) after.push(Number(stats.firstRaceAfterSeconds));
    rmSync(join(folder, 'run'), { recursive: true, force: true });
  }
  const typical = after.length > 0 ? `, median ${median(after).toFixed(2)} s` : '';
  console.log(`rw-race caught within ${CATCH_WITHIN_S} s: ${after.length} of ${CATCHES}${typical}`);
}

const reportIn = (file: string): Report => JSON.parse(readFileSync(file, 'utf8')) as Report;

/** Runs something with a prefix, and says for how many milliseconds it ran. */
type Timed = (prefix: readonly string[]) => number;

function compute(folder: string, also: readonly string[] = []): Timed {
  const program = compileProgram('matrix', folder, { also });
  return (prefix) => timeProgram([...prefix, program, ...MATRIX], folder).running;
}

const NEVER_CALLED = 'never_called';
/** A thousand accesses in which nothing is ever caught. */
function neverCalled(): string {
  const accesses = Array.from({ length: 1000 }, (_, index) => `never[${index}]++;`).join('\n');
  return `volatile int never[1000];\nvoid ${NEVER_CALLED}(void) {\n${accesses}\n}\n`;
}

/** The same program with that function in it, in a folder of its own. */
function withNeverCalled(folder: string): Timed {
  const own = join(folder, 'with-never-called');
  mkdirSync(own);
  const never = join(own, 'never.c');
  writeFileSync(never, neverCalled());
  return compute(own, [never]);
}

const NATIVE = 'native';
const UNHIT = 'planted, none hit';

interface Slowdown {
  readonly what: string;
  readonly folder: string;
  /** So many do the work that is timed. */
  readonly threads: number;
  readonly run: Timed;
  /** The same with a function that is not called, in which all breakpoints are. */
  readonly unhit?: Timed;
}

/** What one way has come to, round by round. */
interface Measured {
  readonly times: number[];
  readonly windowsPerSecond: number[];
}

function slowdown({ what, folder, threads, run, unhit }: Slowdown): void {
  const ways = new Map<string, () => number>([
    [NATIVE, () => run([])],
    ...(unhit === undefined
      ? []
      : [
          [UNHIT, () => unhit(watching(folder, 50, ['--functions', `^${NEVER_CALLED}$`]))] as const,
        ]),
    ...RATES.map((rate) => [`${rate} hits/s`, () => run(watching(folder, rate))] as const),
  ]);
  const found = measure(folder, ways);
  // To the native run of the same round: how fast this machine is changes by the minute.
  const ratios = (way: string): number[] =>
    found.get(way)!.times.map((time, round) => time / found.get(NATIVE)!.times[round]!);
  tellComparison(
    what,
    [...found].map(([name, { times, windowsPerSecond }]) => {
      const windows = windowsPerSecond.length > 0 ? median(windowsPerSecond) : 0;
      const heldShare = (windows * WINDOW_MS) / 1000 / threads;
      const more = {
        'from … to': [Math.min, Math.max].map((f) => f(...ratios(name)).toFixed(2)).join('–'),
        'windows/s': windows.toFixed(1),
        'at least': heldShare < 1 ? (1 / (1 - heldShare)).toFixed(3) : '',
      };
      return { name, samples: times, ratio: median(ratios(name)), more };
    }),
  );
  const asked = median(ratios(`${ASKED_AT_RATE} hits/s`));
  const isMet = asked <= ASKED_SLOWDOWN ? 'met' : 'missed';
  console.log(
    `asked at ${ASKED_AT_RATE} hits/s: ${ASKED_SLOWDOWN}; found ${asked.toFixed(3)}: ${isMet}\n`,
  );
}

function measure(
  folder: string,
  ways: ReadonlyMap<string, () => number>,
): ReadonlyMap<string, Measured> {
  const found = new Map<string, Measured>(
    [...ways.keys()].map((way) => [way, { times: [], windowsPerSecond: [] }]),
  );
  const json = join(folder, 'report.json');
  for (let round = 0; round < ROUNDS; round++) {
    for (const [way, timed] of ways) {
      const { times, windowsPerSecond } = found.get(way)!;
      rmSync(json, { force: true });
      times.push(timed());
      if (existsSync(json)) {
        const { windows, seconds } = reportIn(json).stats;
        windowsPerSecond.push(Number(windows) / Number(seconds));
      }
      rmSync(join(folder, 'run'), { recursive: true, force: true });
    }
    const told = [...found].map(([way, { times }]) => `${way} ${times.at(-1)!.toFixed(0)} ms`);
    console.error(`round ${round + 1} of ${ROUNDS}: ${told.join(', ')}`);
  }
  return found;
}

const watching = (folder: string, rate: number, more: readonly string[] = []): string[] => [
  ...[process.execPath, MAIN, 'watch', '-q', '--rate', String(rate)],
  ...['--window', String(WINDOW_MS), ...more],
  ...['--json', join(folder, 'report.json'), '-o', join(folder, 'run'), '--'],
];
