/**
 * What recording costs, beside strace: the same workloads natively, under each recorder, and under
 * strace, taking turns. The figures are of the whole command; what deadheat takes to start and to end
 * is told apart, by recording a program that does nothing.
 *
 *   ratio   wall time divided by the native one: less is better
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSCALL_NAMES, syscallNumber } from '../src/linux/syscalls.ts';
import { RECORDED_NUMBERS } from '../src/procs/model/recorded-calls.ts';
import { median, milliseconds } from './measure.ts';

const ROUNDS = 3;
const FILES = 200;

const launcher = join(process.cwd(), 'deadheat');
/** With a question mark, strace passes over names that it does not know. */
const recordedCalls = SYSCALL_NAMES.filter((name) => RECORDED_NUMBERS.includes(syscallNumber(name)))
  .map((name) => `?${name}`)
  .join(',');

const WAYS: Readonly<Record<string, readonly string[]>> = {
  native: [],
  'deadheat, eBPF': [launcher, 'record', '-q', '--recorder', 'bpf', '-o', 'RUN', '--'],
  'deadheat, ptrace': [launcher, 'record', '-q', '--recorder', 'ptrace', '-o', 'RUN', '--'],
  'strace -f': ['strace', '-f', '-o', '/dev/null'],
  'strace -f --seccomp-bpf, same calls': [
    ...['strace', '-f', '--seccomp-bpf', '-o', '/dev/null'],
    ...['-e', `trace=${recordedCalls}`],
  ],
};

const WORKLOADS: Readonly<Record<string, readonly string[]>> = {
  'nothing (true)': ['true'],
  [`make -j2, ${FILES} C files`]: ['make', '-s', '-j2', '-B'],
  'shell loop, 300 processes': [
    'sh',
    '-c',
    'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done',
  ],
};

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  try {
    writeProject(folder);
    for (const [workload, command] of Object.entries(WORKLOADS)) measure(workload, command, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measure(workload: string, command: readonly string[], folder: string): void {
  const times = new Map(Object.keys(WAYS).map((way) => [way, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [way, prefix] of Object.entries(WAYS)) {
      const runFolder = join(folder, `.run-${round}`);
      const [program = '', ...args] = [...prefix, ...command].map((word) =>
        word === 'RUN' ? runFolder : word,
      );
      const run = () => spawnSync(program, args, { cwd: folder, stdio: 'ignore' });
      times.get(way)?.push(milliseconds(run));
      rmSync(runFolder, { recursive: true, force: true });
    }
  }
  const native = median(times.get('native') ?? []);
  console.log(workload);
  for (const [way, samples] of times) {
    const typical = median(samples);
    console.log(
      `  ${way.padEnd(36)} ${typical.toFixed(0).padStart(6)} ms  ratio ${(typical / native).toFixed(2)}`,
    );
  }
}

/** Files of a realistic size: a compiler that has nothing to do would be all system calls. */
function writeProject(folder: string): void {
  const objects = Array.from({ length: FILES }, (_, index) => `obj/f${index}.o`);
  mkdirSync(join(folder, 'obj'));
  const functions = Array.from(
    { length: 40 },
    (_, index) =>
      `int g${index}(int x) { for (int i = 0; i < x; i++) x ^= i * ${index} + x / 3; return x; }`,
  ).join('\n');
  for (let index = 0; index < FILES; index++) {
    const unique = `int f${index}(int x) { return x + ${index}; }`;
    writeFileSync(
      join(folder, `f${index}.c`),
      `#include <stdio.h>\n#include <stdlib.h>\nstatic ${functions.replaceAll('\nint', '\nstatic int')}\n${unique}\n`,
    );
  }
  const rules = ['obj/%.o: %.c', '\tgcc -O2 -w -c -o $@ $<'].join('\n');
  writeFileSync(join(folder, 'Makefile'), `all: ${objects.join(' ')}\n${rules}\n`);
}
