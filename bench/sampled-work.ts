/**
 * What is sampled to see what that costs: the small server, redis-server, memcached, and four programs that compute;
 * beside them three that do nothing but take locks or hand over, for which nothing is asked.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Spent } from './interleaved.ts';
import { serveMemcached } from './memcached.ts';
import { serveRedis } from './redis.ts';
import { TIMED, timed } from './timed-command.ts';
import { compileProgram, timeProgram } from './traced-programs.ts';

/** Runs something with a prefix. */
export type Work = (prefix: readonly string[]) => Spent | Promise<Spent>;

/** One to two seconds each: what starts a program is not what is measured. */
const REQUESTS = 1_000_000;
const MEMCACHED_REQUESTS = 600_000;
/** What Debian's programs do with a file of lines. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'zstd -T2': ['zstd', '-q', '-f', '-T2', '-9', 'lines', '-o', 'out'],
  'xz -T2': ['xz', '-k', '-c', '-1', '-T2', '--block-size=2MiB', 'lines'],
  'sort --parallel=2': ['sort', '--parallel=2', 'lines', '-o', 'out'],
};
const LINES = 1_000_000;
const MATRIX = ['200', '300'];
export const LOCK_BOUND: Readonly<Record<string, readonly string[]>> = {
  histogram: ['24000000'],
  list: ['2000000'],
  pipeline: ['60000'],
};
const LONGEST_SECONDS = '600';
/** Its threads wait for each other in loops: with more at a time there is less of that. */
const REDIS = {
  settings: ['--io-threads', '2', '--io-threads-do-reads', 'yes'],
  load: ['-q', '-n', '150000', '-c', '20', '-P', '16', '-t', 'set,get,lpush'],
};

export function sampledWork(folder: string): ReadonlyMap<string, Work> {
  const program = (name: string, args: readonly string[]): Work => {
    const binary = compileProgram(name, folder);
    return (prefix) => timeProgram([...prefix, binary, ...args], folder);
  };
  const load = compileProgram('memcached-load', folder);
  writeLines(join(folder, 'lines'), LINES);
  return new Map<string, Work>([
    ['small server', program('server', [LONGEST_SECONDS, `${REQUESTS}`])],
    ['redis-server', (prefix) => serveRedis(prefix, folder, REDIS)],
    ['memcached', (prefix) => serveMemcached(prefix, folder, load, MEMCACHED_REQUESTS)],
    ['matrix', program('matrix', MATRIX)],
    ...Object.entries(COMMANDS).map(([name, command]) => {
      const work: Work = (prefix) => timed([...prefix, ...TIMED, ...command], folder);
      return [name, work] as const;
    }),
    ...Object.entries(LOCK_BOUND).map(([name, args]) => [name, program(name, args)] as const),
  ]);
}

/** The same every time, and neither all the same nor noise. */
export function writeLines(file: string, count: number): void {
  let random = 1;
  const lines = Array.from({ length: count }, (_, line) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return `${random % 100_000} request ${line % 977} from client ${random % 89}`;
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
}

export const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

/** A number among the words of a benchmark says how often. */
export const roundsIn = (words: readonly string[], otherwise: number): number =>
  Number(words.find((word) => /^\d+$/.test(word)) ?? otherwise);
