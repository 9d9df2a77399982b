/** A redis-server, started in some way, and how long it takes to serve redis-benchmark. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milliseconds } from './measure.ts';

/** Loopback only; chosen so that nobody else's server is met. */
const PORT = '16399';
const LOAD = ['-q', '-n', '15000', '-c', '20', '-t', 'set,get,lpush'];
/** For what hangs: a machine may be busy. */
const LONGEST_START_MS = 60_000;
const NAP = new Int32Array(new SharedArrayBuffer(4));

export interface RedisWork {
  /** Further settings of the server, such as `--io-threads 2`. */
  readonly settings?: readonly string[];
  /** For redis-benchmark. */
  readonly load?: readonly string[];
}

export function serveRedis(
  prefix: readonly string[],
  folder: string,
  { settings = [], load = LOAD }: RedisWork = {},
): { running: number; whole: number; processor: number } {
  const data = mkdtempSync(join(tmpdir(), 'deadheat-redis-'));
  const server = ['redis-server', '--port', PORT, '--bind', '127.0.0.1'];
  const options = ['--save', '', '--appendonly', 'no', '--dir', data, ...settings];
  const [program = '', ...args] = [...prefix, ...server, ...options];
  let [running, processor] = [0, 0];
  try {
    const whole = milliseconds(() => {
      const child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
      try {
        waitForServer();
        running = milliseconds(() => command('redis-benchmark', '-p', PORT, ...load));
        processor = processorMs();
      } finally {
        // Whatever has happened: the next one needs the port.
        command('redis-cli', '-p', PORT, 'shutdown', 'nosave');
        waitForEnd(child.pid ?? 0);
        child.kill();
      }
    });
    return { running, whole, processor };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

function waitForServer(): void {
  const deadline = Date.now() + LONGEST_START_MS;
  while (command('redis-cli', '-p', PORT, 'ping') !== 0) {
    if (Date.now() > deadline) throw new Error('redis-server does not answer');
    Atomics.wait(NAP, 0, 0, 20);
  }
}

/** The child stays a zombie until our event loop runs, which is how its end shows. */
function waitForEnd(pid: number): void {
  const state = () => spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  const deadline = Date.now() + LONGEST_START_MS;
  while (!/^(Z|$)/.test(state().stdout) && Date.now() < deadline) Atomics.wait(NAP, 0, 0, 5);
}

/** That the server has had so far, by all of its threads. */
function processorMs(): number {
  const { stdout } = spawnSync('redis-cli', ['-p', PORT, 'info', 'cpu'], { encoding: 'utf8' });
  const seconds = (name: string): number =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1000;
}

const command = (program: string, ...args: string[]): number | null =>
  spawnSync(program, args, { stdio: 'ignore' }).status;
