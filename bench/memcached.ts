/** A memcached, started in some way, and how long it takes to serve a load of ours (bench/programs/memcached-load.c). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { pid } from '../src/linux/ids.ts';
import { processorNsOf } from '../src/linux/processor-time.ts';

/** Loopback only; chosen so that nobody else's server is met. */
const PORT = '16311';
const LONGEST_MS = 300_000;

export interface ServedMemcached {
  /** Milliseconds in which so many requests were answered. */
  readonly running: number;
  /** What it had of processors meanwhile. */
  readonly processor: number;
}

/** `load`: the compiled program. The server is told to end by it, and has ended when this is over. */
export async function serveMemcached(
  prefix: readonly string[],
  folder: string,
  load: string,
  requests: number,
): Promise<ServedMemcached> {
  const server = ['memcached', '-l', '127.0.0.1', '-p', PORT, '-U', '0', '-t', '2', '-m', '64'];
  const pidFile = join(folder, 'memcached.pid');
  const own = ['-A', '-u', userInfo().username, '-P', pidFile];
  const [program = '', ...args] = [...prefix, ...server, ...own];
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const { stdout, status } = spawnSync(load, [PORT, `${requests}`], {
      encoding: 'utf8',
      timeout: LONGEST_MS,
    });
    if (status !== 0) throw new Error(`the load for memcached ended with ${status}`);
    const processor = processorNsOf(pid(Number(readFileSync(pidFile, 'latin1')))) / 1e6;
    return { running: Number(stdout.split(' ')[1]) / 1e6, processor };
  } finally {
    spawnSync(load, [PORT, '0'], { timeout: LONGEST_MS });
    await ended;
  }
}
