/**
 * What watching finds, and what it costs.
 *
 *   caught     rw-race at 100 hits/s, 20 runs: in how many its race is caught within 5 s, and after how long
 *   compute    two threads that multiply matrices for some seconds: time divided by the native one beside it,
 *   redis      at several rates, with a window of 1 ms; the same for redis-server under load, some seconds after it
 *              was begun to be watched. Asked: at most 1.10 at 50 hits/s; 1.00 with breakpoints that nobody comes to.
 *              `at least` is what the windows alone would take: of two threads that compute, or of the one that serves
 *              all requests, one is held for their time
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
import { metOrMissed } from './asked.ts';
import { attachToRedis } from './attach-redis.ts';
import { tellComparison } from './comparison.ts';
import { between, inTurns } from './interleaved.ts';
import { chosen, median } from './measure.ts';
import { redisWork, servedWork } from './server-turns.ts';
import { compileProgram } from './traced-programs.ts';
import { type SpentInTurns, type Starter, tracedWork, type Work } from './turns.ts';
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
const REDIS_LOAD = ['-q', '-n', '100000', '-c', '20', '-t', 'set,get,lpush'];
/** A large program has to be taken apart first, which comes once: hits are as many as wanted when it counts. */
const WARM_UP_MS = 8000;
/** What is planned ahead in a turn is not to be most of what is done in it. */
const TURN_MS = 1000;
const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const parts: Record<string, () => void | Promise<void>> = {
    caught: () => caught(folder),
    compute: () =>
      slowdown({
        ...{ what: 'compute', folder, threads: 2 },
        ...{ work: compute(folder), unhit: withNeverCalled(folder) },
      }),
    redis: () => {
      const redis = redisWork([], REDIS_LOAD);
      const work: Work = (prefix) =>
        servedWork(prefix, redis, { warmUpMs: WARM_UP_MS, isTraced: prefix.length > 0 });
      return slowdown({ what: 'redis', folder, threads: 1, work });
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

function compute(folder: string, also: readonly string[] = []): Work {
  const program = compileProgram('matrix', folder, { also });
  return (prefix) => tracedWork(prefix, [program, ...MATRIX]);
}

const NEVER_CALLED = 'never_called';
/** A thousand accesses in which nothing is ever caught. */
function neverCalled(): string {
  const accesses = Array.from({ length: 1000 }, (_, index) => `never[${index}]++;`).join('\n');
  return `volatile int never[1000];\nvoid ${NEVER_CALLED}(void) {\n${accesses}\n}\n`;
}

/** The same program with that function in it, in a folder of its own. */
function withNeverCalled(folder: string): Work {
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
  readonly work: Work;
  /** The same with a function that is not called, in which all breakpoints are. */
  readonly unhit?: Work;
}

async function slowdown({ what, folder, threads, work, unhit }: Slowdown): Promise<void> {
  const ways = new Map<string, Starter>([[NATIVE, work([])]]);
  if (unhit) ways.set(UNHIT, unhit(watching(50, ['--functions', `^${NEVER_CALLED}$`])));
  for (const rate of RATES) ways.set(`${rate} hits/s`, work(watching(rate)));
  const windows = new Map<string, number[]>();
  const countWindows = (way: string, cwd: string, { allTurns }: SpentInTurns): void => {
    const json = join(cwd, JSON_FILE);
    if (!existsSync(json)) return;
    const perSecond = Number(reportIn(json).stats.windows) / (allTurns / 1000);
    windows.set(way, [...(windows.get(way) ?? []), perSecond]);
  };
  const found = await inTurns(ways, ROUNDS, folder, countWindows, TURN_MS);
  for (const [way, counts] of windows)
    if (way !== UNHIT && median(counts) === 0)
      throw new Error(`${what}, ${way}: nothing is watched`);
  tellComparison(
    what,
    [...found].map(([name, ratios]) => {
      const perSecond = median(windows.get(name) ?? [0]);
      const heldShare = (perSecond * WINDOW_MS) / 1000 / threads;
      const more = {
        '90 % sure': between(ratios.limits),
        'windows/s': perSecond.toFixed(1),
        'at least': heldShare < 1 ? (1 / (1 - heldShare)).toFixed(3) : '',
      };
      return { name, samples: ratios.times, ratio: ratios.ratio, more };
    }),
  );
  const asked = found.get(`${ASKED_AT_RATE} hits/s`)!.ratio;
  const result = metOrMissed(asked <= ASKED_SLOWDOWN);
  console.log(
    `asked at ${ASKED_AT_RATE} hits/s: ${ASKED_SLOWDOWN}; found ${asked.toFixed(3)}: ${result}\n`,
  );
}

const JSON_FILE = 'report.json';
const watching = (rate: number, more: readonly string[] = []): string[] => [
  ...[process.execPath, MAIN, 'watch', '-q', '--rate', String(rate)],
  ...['--window', String(WINDOW_MS), ...more, '--json', JSON_FILE, '-o', 'run', '--'],
];
