/**
 * What tracing threads costs, beside what other detectors take: four programs (bench/programs/), natively and
 * under each, taking turns.
 *
 *   tracing     time divided by the native one, of the program's own work and of the whole command. Asked: at
 *               most a tenth of Helgrind's, and not above ThreadSanitizer's. Then what the log and the trace take
 *   rewriting   instructions a second, in a fresh process. Asked: 100,000
 *   start       until a program's main is reached, the second time: asked: within 100 ms of native
 *
 * `npm run bench -- threads tracing matrix` measures only that.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tellComparison } from './comparison.ts';
import { loggedBy } from './logged-program.ts';
import { chosen, median, milliseconds } from './measure.ts';
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
  const parts: Record<string, () => void> = {
    tracing: () => {
      const names = PROGRAMS.map(({ name }) => name);
      const wanted = chosen(names, words);
      for (const program of PROGRAMS) if (wanted.includes(program.name)) tracing(program, folder);
    },
    rewriting,
    start: () => start(folder),
  };
  try {
    for (const part of chosen(Object.keys(parts), words)) parts[part]!();
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
const HELGRIND = 'helgrind';
const SANITIZER = 'ThreadSanitizer';

const WAYS: Readonly<Record<string, Way>> = {
  [NATIVE]: { prefix: [] },
  [DEADHEAT]: { prefix: [launcher, 'trace', '-q', '-o', 'RUN', '--'] },
  [SANITIZER]: { prefix: [], isSanitized: true },
  [SMALL_NATIVE]: { prefix: [], isSlow: true },
  [HELGRIND]: { prefix: ['valgrind', '-q', '--tool=helgrind'], isSlow: true },
  drd: { prefix: ['valgrind', '-q', '--tool=drd'], isSlow: true },
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
  verdict('of helgrind’s slowdown', own! / helgrind!, HELGRIND_SHARE);
  verdict('of ThreadSanitizer’s slowdown', own! / sanitizer!, 1);
}

function verdict(what: string, found: number, asked: number): void {
  const met = found <= asked ? 'met' : 'NOT MET';
  console.log(`  ${found.toFixed(3)} ${what}; asked: at most ${asked}: ${met}`);
}

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
  const per = (bytes: number, accesses: number): string => (bytes / accesses).toFixed(3);
  console.log(
    `  log: ${large.bytes} bytes, ${per(large.bytes, large.accesses)} for each of ${large.accesses} accesses in it;` +
      ` trace: ${traceBytes} bytes, ${per(traceBytes, large.accesses)}`,
  );
  console.log(
    `  log of the small task: ${small.bytes} bytes, ${per(small.bytes, executed)} for each of ${executed} accesses executed`,
  );
}

function rewriting(): void {
  const worker = new URL('./rewriting-speed.js', import.meta.url).pathname;
  for (const name of ['bash', 'git', 'gdb']) {
    const path = ['/bin', '/usr/bin'].map((bin) => join(bin, name)).find(existsSync);
    if (path === undefined) {
      console.log(`rewriting ${name}: not on this machine`);
      continue;
    }
    const { stdout, stderr, status } = spawnSync(process.execPath, [worker, path], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    const { instructions, ms } = JSON.parse(stdout) as { instructions: number; ms: number };
    const speed = (instructions / ms) * 1000;
    const met = speed >= ASKED_PER_SECOND ? 'met' : 'NOT MET';
    console.log(
      `rewriting ${name}: ${instructions} instructions in ${ms.toFixed(0)} ms, ${speed.toFixed(0)}/s; asked: ${ASKED_PER_SECOND}: ${met}`,
    );
  }
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
  const met = more('main') <= ASKED_START_MS ? 'met' : 'NOT MET';
  console.log(
    `start: ${more('main').toFixed(0)} ms more than natively until main is reached; asked: ${ASKED_START_MS}: ${met}`,
  );
  console.log(
    `  (the whole command ${more('whole').toFixed(0)} ms more; node -e 0 takes ${bare.toFixed(0)} ms)`,
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
