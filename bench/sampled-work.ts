/**
 * What is sampled to see what that costs: the small server, redis-server, memcached, and four programs that compute;
 * beside them three that do nothing but take locks or hand over, for which nothing is asked.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memcachedWork, redisWork, servedWork } from './server-turns.ts';
import { compileProgram } from './traced-programs.ts';
import { type Starter, timedWork } from './turns.ts';

/** Something that is run with a prefix. */
export type Work = (prefix: readonly string[]) => Starter;

/** Three to five seconds each: what starts a program is not what is measured. */
const REQUESTS = 2_000_000;
const MEMCACHED_REQUESTS = 1_200_000;
/** What Debian's programs do with a file of lines. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'zstd -T2': ['zstd', '-q', '-f', '-T2', '-9', '-o', 'out'],
  'xz -T2': ['xz', '-k', '-c', '-1', '-T2', '--block-size=2MiB'],
  'sort --parallel=2': ['sort', '--parallel=2', '-o', 'out'],
};
const LINES = 2_000_000;
const MATRIX = ['200', '600'];
export const LOCK_BOUND: Readonly<Record<string, readonly string[]>> = {
  histogram: ['24000000'],
  list: ['2000000'],
  pipeline: ['60000'],
};
const LONGEST_SECONDS = '600';
/** Its threads wait for each other in loops: with more at a time there is less of that. */
const REDIS = redisWork(
  ['--io-threads', '2', '--io-threads-do-reads', 'yes'],
  ['-q', '-n', '300000', '-c', '20', '-P', '16', '-t', 'set,get,lpush'],
);

export function sampledWork(folder: string): ReadonlyMap<string, Work> {
  const program = (name: string, args: readonly string[]): Work => {
    const command = [compileProgram(name, folder), ...args];
    return (prefix) => timedWork(prefix, command);
  };
  const memcached = memcachedWork(compileProgram('memcached-load', folder), MEMCACHED_REQUESTS);
  const lines = join(folder, 'lines');
  writeLines(lines, LINES);
  return new Map<string, Work>([
    ['small server', program('server', [LONGEST_SECONDS, `${REQUESTS}`])],
    ['redis-server', (prefix) => servedWork(prefix, REDIS)],
    ['memcached', (prefix) => servedWork(prefix, memcached)],
    ['matrix', program('matrix', MATRIX)],
    ...Object.entries(COMMANDS).map(([name, command]) => {
      const work: Work = (prefix) => timedWork(prefix, [...command, lines]);
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
