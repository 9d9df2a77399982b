import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
export const LAUNCHER = fileURLToPath(new URL('../../deadheat', import.meta.url));
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Surroundings {
  cwd: string;
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Milliseconds, for what hangs: LONGEST_RUN_MS otherwise. */
  timeout?: number;
}

export interface Ended {
  status: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Pattern 2: the built command as a user runs it, to its end. Nothing inside it is replaced. */
export function deadheat(args: readonly string[], around: Surroundings): Ended {
  return runToEnd(process.execPath, [MAIN, ...args], around);
}

/** Nobody in particular: no root, no capabilities but to read the project's own files. */
const AS_PLAIN_USER = [
  ...['--reuid', '65534', '--regid', '65534', '--clear-groups'],
  ...['--inh-caps', '-all,+dac_read_search', '--ambient-caps', '+dac_read_search'],
];

export function deadheatAsPlainUser(args: readonly string[], around: Surroundings): Ended {
  chmodSync(around.cwd, 0o777);
  return nodeAsPlainUser([MAIN, ...args], around);
}

export function nodeAsPlainUser(args: readonly string[], around: Surroundings): Ended {
  return runToEnd('/usr/bin/setpriv', [...AS_PLAIN_USER, process.execPath, ...args], around);
}

export function shellAsPlainUser(script: string, around: Surroundings): Ended {
  chmodSync(around.cwd, 0o777);
  return runToEnd('/usr/bin/setpriv', [...AS_PLAIN_USER, 'sh', '-c', script], around);
}

/** Still running when this returns, for tests that interrupt it. */
export function startDeadheat(args: readonly string[], around: Surroundings): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], { ...around, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** For what hangs; the slowest command takes a tenth of it, and a test may run two. */
export const LONGEST_RUN_MS = 280_000;

/** Any command, in the same surroundings. */
export function runToEnd(command: string, args: readonly string[], around: Surroundings): Ended {
  const env = { ...process.env, NO_COLOR: '', ...around.env };
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    timeout: LONGEST_RUN_MS,
    ...around,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (error) throw error;
  return { status, signal, stdout, stderr };
}
