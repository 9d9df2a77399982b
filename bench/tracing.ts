/**
 * What tracing threads costs, beside what other detectors take: four programs (bench/programs/), natively and
 * under each, taking turns.
 *
 *   slowdown    time divided by the native one, of the program's own work and of the whole command. Asked: at
 *               most a tenth of Helgrind's, and not above ThreadSanitizer's. Then what the log and the trace take
 *   rewriting   instructions a second, in a fresh process. Asked: 100,000
 *   start       until a program's main is reached, the second time: asked: within 100 ms of native
 *
 * `npm run bench -- tracing slowdown matrix` measures only that.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Asked, tellAsked } from './asked.ts';
import { tellComparison } from './comparison.ts';
import { loggedBy } from './logged-program.ts';
import { markdownTable } from './markdown-table.ts';
import { chosen, eachOnItsOwn, median, milliseconds } from './measure.ts';
import {
  compileProgram,
  PROGRAMS,
  type ProgramTime,
  type TracedProgram,
  timeProgram,
} from './traced-programs.ts';

const ROUNDS = 5;
const SLOW_ROUNDS = 2;
const START_ROUNDS = 15;
const HELGRIND_SHARE = 1 / 10;
const ASKED_PER_SECOND = 100_000;
const ASKED_START_MS = 100;
const launcher = join(process.cwd(), 'deadheat');

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const names = PROGRAMS.map(({ name }) => name);
  const slowdown = (): Promise<void> =>
    eachOnItsOwn(chosen(names, words), (name) =>
      tracing(PROGRAMS.find((program) => program.name === name)!, folder),
    );
  const parts: Record<string, () => void | Promise<void>> = {
    ...{ slowdown, rewriting, start: () => start(folder) },
  };
  try {
    await eachOnItsOwn(chosen(Object.keys(parts), words), (part) => parts[part]!());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A command that is put before the program, or another build of it, and how large a task it gets. */
interface Way {
  readonly prefix: readonly string[];
  readonly isSanitized?: boolean;
  readonly isSlow?: boolean;
}

const NATIVE = 'native';
const SMALL_NATIVE = 'native, small';
const DEADHEAT = 'deadheat trace';
const HELGRIND = 'Helgrind';
const SANITIZER = 'ThreadSanitizer';

const WAYS: Readonly<Record<string, Way>> = {
  [NATIVE]: { prefix: [] },
  [DEADHEAT]: { prefix: [launcher, 'trace', '-q', '-o', 'RUN', '--'] },
  [SANITIZER]: { prefix: [], isSanitized: true },
  [SMALL_NATIVE]: { prefix: [], isSlow: true },
  [HELGRIND]: { prefix: ['valgrind', '-q', '--tool=helgrind'], isSlow: true },
  DRD: { prefix: ['valgrind', '-q', '--tool=drd'], isSlow: true },
};

function tracing(program: TracedProgram, folder: string): void {
  const plain = compileProgram(program.name, folder);
  const sanitized = compileProgram(program.name, folder, { sanitized: true });
  const times = new Map(Object.keys(WAYS).map((way) => [way, [] as ProgramTime[]]));
  let traceBytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [way, { prefix, isSanitized, isSlow }] of Object.entries(WAYS)) {
      if (way !== SMALL_NATIVE && isSlow && round >= SLOW_ROUNDS) continue;
      const runFolder = join(folder, `run-${round}`);
      const words = prefix.map((word) => (word === 'RUN' ? runFolder : word));
      const size = isSlow ? program.smallSize : program.size;
      const command = [...words, isSanitized ? sanitized : plain, String(size)];
      times.get(way)!.push(timeProgram(command, folder));
      const trace = join(runFolder, 'trace.bin');
      if (existsSync(trace)) traceBytes = statSync(trace).size;
      rmSync(runFolder, { recursive: true, force: true });
    }
  }
  printTimes(program.name, times);
  printBytes(plain, program, folder, traceBytes);
}

function printTimes(name: string, times: ReadonlyMap<string, readonly ProgramTime[]>): void {
  const slowdown = (way: string, what: 'running' | 'whole'): number => {
    const typical = (one: string): number => median(times.get(one)!.map((time) => time[what]));
    return typical(way) / typical(WAYS[way]!.isSlow ? SMALL_NATIVE : NATIVE);
  };
  tellComparison(
    name,
    [...times].map(([way, rounds]) => ({
      name: way,
      samples: rounds.map(({ running }) => running),
      ratio: slowdown(way, 'running'),
      more: { 'ratio with start and end': slowdown(way, 'whole').toFixed(2) },
    })),
  );
  const results = new Set(
    [...times].map(([way, [first]]) => `${WAYS[way]!.isSlow ? 'small' : 'large'} ${first!.result}`),
  );
  if (results.size > 2) throw new Error(`${name} does not end in the same way: ${[...results]}`);
  const [own, helgrind, sanitizer] = [DEADHEAT, HELGRIND, SANITIZER].map((way) =>
    slowdown(way, 'running'),
  );
  tellAsked([
    shareOf('Helgrind’s slowdown', own! / helgrind!, HELGRIND_SHARE),
    shareOf('ThreadSanitizer’s slowdown', own! / sanitizer!, 1),
  ]);
}

const shareOf = (what: string, found: number, asked: number): Asked => ({
  what: `share of ${what}`,
  asked: `at most ${asked}`,
  found: found.toFixed(3),
  isMet: found <= asked,
});

/** Accesses that are executed are counted by Valgrind's lackey, for a small task: those of libc, too. */
function printBytes(
  binary: string,
  { size, smallSize }: TracedProgram,
  folder: string,
  traceBytes: number,
): void {
  const large = loggedBy(binary, [String(size)], folder);
  const small = loggedBy(binary, [String(smallSize)], folder);
  const lackey = ['--tool=lackey', '--detailed-counts=yes', binary, String(smallSize)];
  const { stderr } = spawnSync('valgrind', lackey, { encoding: 'utf8' });
  let executed = 0;
  // A line for each type: `I32   4,104   1,096   56,718`, of loads, stores and the rest.
  for (const [, ...counts] of stderr.matchAll(/ [A-Z]\d+ +([\d,]+) +([\d,]+) +[\d,]+$/gm)) {
    for (const count of counts) executed += Number(count.replaceAll(',', ''));
  }
  const row = (written: string, bytes: number, accesses: number, which: string) => ({
    written,
    bytes,
    accesses: `${accesses} ${which}`,
    'bytes each': (bytes / accesses).toFixed(3),
  });
  const rows = [
    row('log', large.bytes, large.accesses, 'in it'),
    row('trace', traceBytes, large.accesses, 'in the log'),
    row('log of the small task', small.bytes, executed, 'executed'),
  ];
  console.log(markdownTable(rows));
}

function rewriting(): void {
  const worker = new URL('./rewriting-speed.js', import.meta.url).pathname;
  const asked = ['bash', 'git', 'gdb'].map((name): Asked => {
    const path = ['/bin', '/usr/bin'].map((bin) => join(bin, name)).find(existsSync);
    if (path === undefined) throw new Error(`${name} is not on this machine`);
    const { stdout, stderr, status } = spawnSync(process.execPath, [worker, path], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    const { instructions, ms } = JSON.parse(stdout) as { instructions: number; ms: number };
    const speed = (instructions / ms) * 1000;
    return {
      what: `rewriting ${name}, ${instructions} instructions`,
      asked: `at least ${ASKED_PER_SECOND} a second`,
      found: speed.toFixed(0),
      isMet: speed >= ASKED_PER_SECOND,
    };
  });
  tellAsked(asked);
}

/** Says when its main is reached. */
const SAYS_WHEN = `#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%lld\\n", now.tv_sec * 1000000000LL + now.tv_nsec);
  return 0;
}
`;

function start(folder: string): void {
  const source = join(folder, 'says-when.c');
  const binary = join(folder, 'says-when');
  writeFileSync(source, SAYS_WHEN);
  spawnSync('cc', [source, '-o', binary]);
  const runFolder = join(folder, 'run-start');
  const trace = [launcher, 'trace', '-q', '-o', runFolder, '--', binary];
  startedAfter(trace);
  const natives: StartTime[] = [];
  const traced: StartTime[] = [];
  for (let round = 0; round < START_ROUNDS; round++) {
    rmSync(runFolder, { recursive: true, force: true });
    natives.push(startedAfter([binary]));
    traced.push(startedAfter(trace));
  }
  const bare = median(
    Array.from({ length: START_ROUNDS }, () =>
      milliseconds(() => spawnSync(process.execPath, ['-e', '0'])),
    ),
  );
  const more = (what: keyof StartTime): number =>
    median(traced.map((one) => one[what])) - median(natives.map((one) => one[what]));
  tellAsked([
    {
      what: 'until main is reached, more than natively',
      asked: `at most ${ASKED_START_MS} ms`,
      found: `${more('main').toFixed(0)} ms`,
      isMet: more('main') <= ASKED_START_MS,
    },
  ]);
  console.log(
    `The whole command takes ${more('whole').toFixed(0)} ms more; \`node -e 0\` takes ${bare.toFixed(0)} ms.`,
  );
}

interface StartTime {
  /** When its main was reached, and when the command was over: milliseconds after its start. */
  readonly main: number;
  readonly whole: number;
}

function startedAfter([command = '', ...args]: readonly string[]): StartTime {
  const began = process.hrtime.bigint();
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  const whole = Number(process.hrtime.bigint() - began) / 1e6;
  if (status !== 0) throw new Error(`'${command} ${args.join(' ')}' ended with ${status}`);
  return { main: Number(BigInt(stdout.trim()) - began) / 1e6, whole };
}
