/** Servers under load that take turns (turns.ts): each has a port of its own, and is paused together with its load. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pid, pid } from '../src/linux/ids.ts';
import { processorNsOf } from '../src/linux/processor-time.ts';
import type { PausedGroup } from './paused-group.ts';
import { TIMED } from './timed-command.ts';
import { type Starter, startTimed, type Turner } from './turns.ts';

/** Loopback only; chosen so that nobody else's server is met. */
const FIRST_PORT = 16_400;
const PORTS = 100;
const LONGEST_START_MS = 60_000;
let servers = 0;

interface ServerWork {
  /** It has to write `server.pid`. */
  readonly server: (port: string) => readonly string[];
  readonly load: (port: string) => readonly string[];
}

export const redisWork = (settings: readonly string[], load: readonly string[]): ServerWork => ({
  server: (port) => [
    ...['redis-server', '--port', port, '--bind', '127.0.0.1', '--pidfile', 'server.pid'],
    ...['--save', '', '--appendonly', 'no', ...settings],
  ],
  load: (port) => ['redis-benchmark', '-p', port, ...load],
});

/** `load`: the compiled bench/programs/memcached-load.c. */
export const memcachedWork = (load: string, requests: number): ServerWork => ({
  server: (port) => [
    ...['memcached', '-l', '127.0.0.1', '-p', port, '-U', '0', '-t', '2', '-m', '64'],
    ...['-u', userInfo().username, '-P', 'server.pid'],
  ],
  load: (port) => [load, port, `${requests}`],
});

interface HowServed {
  /** For so long the server is under load before any of it counts. */
  readonly warmUpMs?: number;
  /** The prefix is its tracer. */
  readonly isTraced?: boolean;
}

export const servedWork = (
  prefix: readonly string[],
  work: ServerWork,
  { warmUpMs = 0, isTraced = false }: HowServed = {},
): Starter => {
  const start = async (cwd: string, group: PausedGroup): Promise<Turner> => {
    const port = `${FIRST_PORT + (servers++ % PORTS)}`;
    const [program = '', ...args] = [...group.enter, ...prefix, ...work.server(port)];
    const server = spawn(program, args, { cwd, stdio: 'ignore', detached: true });
    group.add(server.pid!);
    const left = once(server, 'exit');
    const serverPid = await untilReady(Number(port), join(cwd, 'server.pid'));
    await warmUp(work.load(port), cwd, warmUpMs);
    return {
      ...startTimed([...TIMED, ...work.load(port)], cwd, group),
      processor: () => processorNsOf(serverPid) / 1e6,
      leave: async () => {
        if (server.exitCode === null && server.signalCode === null)
          process.kill(serverPid, 'SIGTERM');
        await left;
      },
    };
  };
  return Object.assign(start, { isTraced });
};

async function warmUp(load: readonly string[], cwd: string, ms: number): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const [program = '', ...args] = load;
    const one = spawn(program, args, { cwd, stdio: 'ignore' });
    const over = once(one, 'exit');
    await Promise.race([over, sleep(end - Date.now())]);
    one.kill('SIGKILL');
    await over;
  }
}

/** It answers, and says which process it is. */
async function untilReady(port: number, pidFile: string): Promise<Pid> {
  for (const deadline = Date.now() + LONGEST_START_MS; ; ) {
    const connection = createConnection(port, '127.0.0.1');
    const isThere = await once(connection, 'connect').then(
      () => true,
      () => false,
    );
    connection.destroy();
    const told = existsSync(pidFile) ? Number(readFileSync(pidFile, 'latin1')) : 0;
    if (isThere && told > 0) return pid(told);
    if (Date.now() > deadline) throw new Error(`no server at port ${port}`);
    await sleep(20);
  }
}
