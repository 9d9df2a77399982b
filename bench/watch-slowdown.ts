/**
 * What watching costs, at several rates, with a window of 1 ms. Whole runs take turns: a tracer that is stopped in
 * between (turns.ts) would find all its plans out of date, and its program would run on for a while.
 *
 *   compute    two threads that multiply matrices for some seconds, as long as they are at it
 *   redis      a redis-server, some seconds after it was begun to be watched, beside one that is not: the same load for
 *              one after the other, while the other has nothing to do
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../src/report/model.ts';
import { metOrMissed } from './asked.ts';
import { tellComparison } from './comparison.ts';
import { between, interleaved, type Ratios, type Timed } from './interleaved.ts';
import { median } from './measure.ts';
import { type RunningServer, redisWork, startServer } from './server-turns.ts';
import { ownTimes, TIMED, timed } from './timed-command.ts';
import { compileProgram } from './traced-programs.ts';

const WINDOW_MS = 1;
const RATES = [10, 50, 200, 1000];
const ASKED_SLOWDOWN = 1.1;
const ASKED_AT_RATE = 50;
const NATIVE = 'native';
const UNHIT = 'planted, none hit';
const JSON_FILE = 'report.json';

const COMPUTE_ROUNDS = 5;
/**
 * Some seven seconds: in the first one, it is found out what runs. With matrices that fit into a processor's own cache:
 * who else uses memory would tell as well.
 */
const MATRIX = ['200', '2500'];
const NEVER_CALLED = 'never_called';

const REDIS_ROUNDS = 9;
/** By itself it does something once a second only, so that windows are those of its load. */
const REDIS = redisWork(
  ['--hz', '1', '--dynamic-hz', 'no'],
  ['-q', '-n', '50000', '-c', '20', '-t', 'set,get,lpush'],
);
/** What nobody asks of this server. */
const NEVER_SERVED = '^(sentinel|cluster)';
/** A large program has to be taken apart first, which comes once: hits are as many as wanted when it counts. */
const WARM_UP_MS = 8000;

/** Way → options of `deadheat watch`. */
const waysWatched = (unhit: string): ReadonlyMap<string, readonly string[]> =>
  new Map<string, readonly string[]>([
    [UNHIT, ['--rate', '50', '--functions', unhit]],
    ...RATES.map((rate) => [`${rate} hits/s`, ['--rate', `${rate}`]] as const),
  ]);

const watching = (main: string, options: readonly string[]): readonly string[] => [
  ...[process.execPath, main, 'watch', '-q', '--window', `${WINDOW_MS}`, ...options],
  ...['--json', JSON_FILE, '-o', 'run', '--'],
];

const windowsIn = (cwd: string): number => {
  const report = JSON.parse(readFileSync(join(cwd, JSON_FILE), 'utf8')) as Report;
  return Number(report.stats.windows);
};

export async function watchedCompute(folder: string, main: string): Promise<void> {
  const program = compileProgram('matrix', folder);
  const perSecond = new Map<string, number[]>();
  const measured =
    (command: readonly string[], way?: string): Timed =>
    () => {
      const [first = '', ...args] = command;
      rmSync(join(folder, 'run'), { recursive: true, force: true });
      const { stdout, status } = spawnSync(first, args, { cwd: folder, encoding: 'utf8' });
      if (status !== 0) throw new Error(`'${command.join(' ')}' ended with ${status}`);
      const { begin, end, processor } = ownTimes(stdout);
      const running = (end - begin) / 1e6;
      if (way) append(perSecond, way, windowsIn(folder) / (running / 1000));
      return { running, processor };
    };
  const ways = [...waysWatched(`^${NEVER_CALLED}$`)].map(([way, options]) => {
    const watched = way === UNHIT ? withNeverCalled(folder) : program;
    return [way, measured([...watching(main, options), watched, ...MATRIX], way)] as const;
  });
  const native = measured([program, ...MATRIX]);
  const found = await interleaved(new Map([[NATIVE, native], ...ways]), COMPUTE_ROUNDS);
  tell('compute', found, perSecond, 2);
}

/** The same program with a thousand accesses to which nobody comes, in a folder of its own. */
function withNeverCalled(folder: string): string {
  const own = join(folder, 'with-never-called');
  mkdirSync(own);
  const never = join(own, 'never.c');
  const accesses = Array.from({ length: 1000 }, (_, index) => `never[${index}]++;`).join('\n');
  writeFileSync(never, `volatile int never[1000];\nvoid ${NEVER_CALLED}(void) {\n${accesses}\n}\n`);
  return compileProgram('matrix', own, { also: [never] });
}

export async function watchedRedis(folder: string, main: string): Promise<void> {
  const servers = new Map<string, RunningServer>();
  const loadedMs = new Map<string, number>();
  const cwdOf = (way: string): string => join(folder, way.replaceAll(/\W/g, '-'));
  const serve = (way: string): { running: number; processor: number } => {
    const { load, processor } = servers.get(way)!;
    const before = processor();
    const { running } = timed([...TIMED, ...load], folder);
    loadedMs.set(way, (loadedMs.get(way) ?? 0) + running);
    return { running, processor: processor() - before };
  };
  const start = async (way: string, prefix: readonly string[]): Promise<void> => {
    mkdirSync(cwdOf(way));
    servers.set(way, await startServer(prefix, REDIS, cwdOf(way)));
    for (const end = Date.now() + WARM_UP_MS; Date.now() < end; ) serve(way);
  };
  const found = new Map<string, Ratios>();
  const perSecond = new Map<string, number[]>();
  try {
    await start(NATIVE, []);
    for (const [way, options] of waysWatched(NEVER_SERVED)) {
      await start(way, watching(main, options));
      const both = [NATIVE, way].map((one) => [one, () => serve(one)] as const);
      for (const [name, ratios] of await interleaved(new Map(both), REDIS_ROUNDS))
        if (!found.has(name)) found.set(name, ratios);
      await servers.get(way)!.leave();
      servers.delete(way);
      perSecond.set(way, [windowsIn(cwdOf(way)) / (loadedMs.get(way)! / 1000)]);
    }
  } finally {
    for (const { leave } of servers.values()) await leave();
  }
  tell('redis', found, perSecond, 1);
}

function append(to: Map<string, number[]>, way: string, value: number): void {
  to.set(way, [...(to.get(way) ?? []), value]);
}

/** `threads`: so many do the work that is timed. */
function tell(
  what: string,
  found: ReadonlyMap<string, Ratios>,
  windows: ReadonlyMap<string, readonly number[]>,
  threads: number,
): void {
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
