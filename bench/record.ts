/**
 * What recording costs, beside strace: the same workloads natively, under each recorder, and under
 * strace, taking turns.
 *
 *   running   wall time of the workload itself, divided by the native one: less is better
 *   whole     the same of the whole command, with what deadheat takes to start and to end
 *
 * redis-server is measured from outside: how long redis-benchmark takes to be served.
 *
 * All of it takes minutes; `npm run bench -- record make eBPF` measures only workloads with `make`
 * and only ways with `eBPF` in their names, beside the native one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSCALL_NAMES, syscallNumber } from '../src/linux/syscalls.ts';
import { RECORDED_NUMBERS } from '../src/procs/model/recorded-calls.ts';
import { writeProject } from './c-project.ts';
import { tellComparison } from './comparison.ts';
import { chosen, eachOnItsOwn, median } from './measure.ts';
import { serveRedis } from './redis.ts';
import { type Sample, TIMED, timed } from './timed-command.ts';

const ROUNDS = 5;
/** Ways that take ten times as long as the others need no fine measure. */
const SLOW_ROUNDS = 2;
const SLOW = /, ptrace|strace/;
const FILES = 200;

const launcher = join(process.cwd(), 'deadheat');
/** With a question mark, strace passes over names that it does not know. */
const recordedCalls = SYSCALL_NAMES.filter((name) => RECORDED_NUMBERS.includes(syscallNumber(name)))
  .map((name) => `?${name}`)
  .join(',');

const RECORD = [launcher, 'record', '-q', '-o', 'RUN', '--recorder'];

const WAYS: Readonly<Record<string, readonly string[]>> = {
  native: [],
  'deadheat, eBPF': [...RECORD, 'bpf', '--'],
  'deadheat, eBPF, --in-place': [...RECORD, 'bpf', '--in-place', '--'],
  'deadheat, ptrace': [...RECORD, 'ptrace', '--'],
  'only without vDSO, by ptrace': [process.execPath, join(import.meta.dirname, 'without-vdso.js')],
  'strace -f': ['strace', '-f', '-o', '/dev/null'],
  'strace -f --seccomp-bpf, same calls': [
    ...['strace', '-f', '--seccomp-bpf', '-o', '/dev/null'],
    ...['-e', `trace=${recordedCalls}`],
  ],
};

const WORKLOADS: Readonly<Record<string, readonly string[]>> = {
  [`make -j2, ${FILES} C files`]: ['make', '-s', '-j2', '-B'],
  'shell loop, 300 processes': [
    ...['sh', '-c'],
    'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done',
  ],
};

type Measure = (prefix: readonly string[]) => Sample;

export async function run(words: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  const workloads: Record<string, Measure> = {
    'redis-server under redis-benchmark': (prefix) => serveRedis(prefix, folder),
  };
  for (const [workload, command] of Object.entries(WORKLOADS)) {
    workloads[workload] = (prefix) => timed([...prefix, ...TIMED, ...command], folder);
  }
  const ways = ['native', ...chosen(Object.keys(WAYS), words)];
  try {
    writeProject(folder, FILES);
    await eachOnItsOwn(chosen(Object.keys(workloads), words), (workload) =>
      compare(workload, [...new Set(ways)], folder, workloads[workload]!),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compare(
  workload: string,
  ways: readonly string[],
  folder: string,
  measure: Measure,
): void {
  const samples = new Map(ways.map((way) => [way, [] as Sample[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      const prefix = WAYS[way] ?? [];
      if (SLOW.test(way) && round >= SLOW_ROUNDS) continue;
      const runFolder = join(folder, `.run-${round}`);
      samples.get(way)?.push(measure(prefix.map((word) => (word === 'RUN' ? runFolder : word))));
      rmSync(runFolder, { recursive: true, force: true });
    }
  }
  const typical = (way: string, what: keyof Sample): number =>
    median(samples.get(way)!.map((sample) => sample[what]));
  const ratio = (way: string, what: keyof Sample): number =>
    typical(way, what) / typical('native', what);
  tellComparison(
    workload,
    [...samples].map(([name, rounds]) => ({
      name,
      samples: rounds.map(({ running }) => running),
      ratio: ratio(name, 'running'),
      more: { 'ratio with start and end': ratio(name, 'whole').toFixed(2) },
    })),
  );
}
