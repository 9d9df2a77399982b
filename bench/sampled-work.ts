/** What is sampled to see what that costs: the small server, redis-server, memcached, and four programs that compute. */
import { join } from 'node:path';
import { serveMemcached } from './memcached.ts';
import { serveRedis } from './redis.ts';
import { compileProgram, timeProgram } from './traced-programs.ts';

/** Runs something with a prefix, and says for how many milliseconds it ran. */
export type Work = (prefix: readonly string[]) => number | Promise<number>;

/** One to two seconds each: what starts a program is not what is measured. */
const REQUESTS = 400_000;
const MEMCACHED_REQUESTS = 150_000;
const SIZES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['24000000'],
  matrix: ['200', '300'],
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
    return (prefix) => timeProgram([...prefix, binary, ...args], folder).running;
  };
  const load = compileProgram('memcached-load', folder);
  return new Map<string, Work>([
    ['small server', program('server', [LONGEST_SECONDS, `${REQUESTS}`])],
    ['redis-server', (prefix) => serveRedis(prefix, folder, REDIS).running],
    [
      'memcached',
      async (prefix) => (await serveMemcached(prefix, folder, load, MEMCACHED_REQUESTS)).running,
    ],
    ...Object.entries(SIZES).map(([name, args]) => [name, program(name, args)] as const),
  ]);
}

export const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

/** A number among the words of a benchmark says how often. */
export const roundsIn = (words: readonly string[], otherwise: number): number =>
  Number(words.find((word) => /^\d+$/.test(word)) ?? otherwise);
