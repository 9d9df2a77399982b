/** Servers under load that take turns (turns.ts): each has a port of its own, and is stopped together with its load. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pid, pid } from '../src/linux/ids.ts';
import { processorNsOf } from '../src/linux/processor-time.ts';
import { TIMED } from './timed-command.ts';
import { type Starter, startTimed } from './turns.ts';

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

export const servedWork =
  (prefix: readonly string[], work: ServerWork): Starter =>
  async (cwd) => {
    const { leader, processor, load, leave } = await startServer(prefix, work, cwd);
    const { groups, ended } = startTimed([...TIMED, ...load], cwd);
    return { groups: [leader, ...groups], ended, processor, leave };
  };

export interface RunningServer {
  /** Of its process group. */
  readonly leader: number;
  readonly load: readonly string[];
  /** What it had of processors until now, in milliseconds. */
  readonly processor: () => number;
  /** To be called at last, while it may run. */
  readonly leave: () => Promise<unknown>;
}

/** Once it answers. */
export async function startServer(
  prefix: readonly string[],
  work: ServerWork,
  cwd: string,
): Promise<RunningServer> {
  const port = `${FIRST_PORT + (servers++ % PORTS)}`;
  const [program = '', ...args] = [...prefix, ...work.server(port)];
  const server = spawn(program, args, { cwd, stdio: 'ignore', detached: true });
  const left = once(server, 'exit');
  const leader = server.pid!;
  const serverPid = await untilReady(Number(port), join(cwd, 'server.pid')).catch((error) => {
    process.kill(-leader, 'SIGKILL');
    throw error;
  });
  const leave = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) process.kill(serverPid, 'SIGTERM');
    await left;
  };
  const processor = (): number => processorNsOf(serverPid) / 1e6;
  return { leader, load: work.load(port), processor, leave };
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
