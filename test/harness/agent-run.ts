/**
 * Runs a program under the agent, without anything instrumented, and tells what its threads have
 * logged, one operation a line:
 *
 *   const { threads } = await agentRun(compiled('locks'));
 *   threads('1')  →  ['begin', 'acquire mutex', 'release mutex', …]
 *
 * Programs (test/agent/*.c) print names and addresses of the objects that the test is about.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentRecord, openAgentChannel } from '../../src/linux/agent-channel.ts';
import { type AgentLog, LOG_OP_NAMES, readAgentLog } from '../../src/linux/agent-log.ts';
import { AgentOption, LockBits, LogKind, LogOp } from '../../src/linux/agent-protocol.ts';
import { scratchFolder } from './scratch.ts';

const SYNC_ONLY = AgentOption.DH_OPTION_LOG | AgentOption.DH_OPTION_SYNC_ONLY;

/** A program of test/agent/, compiled. */
export function compiled(name: string, compiler = 'cc', ...flags: string[]): string {
  const source = new URL(`../agent/${name}`, import.meta.url).pathname;
  const binary = join(scratchFolder(), name.replace(/\..*/, ''));
  execFileSync(compiler, ['-O1', '-g', '-Wall', '-o', binary, source, ...flags]);
  return binary;
}

export interface AgentRun {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The folder with the channel and the logs. */
  folder: string;
  records: AgentRecord[];
  /** What a thread has logged, given as '1' or, for another process than the first, '2-1'. */
  threads(name: string): string[];
  /** All logs there are, as '1-1', '1-2'. */
  names: string[];
}

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  folder?: string;
  options?: number;
}

export function agentRun(program: string, args: string[] = [], given: RunOptions = {}): AgentRun {
  const folder = mkdtempSync(join(given.folder ?? scratchFolder(), 'logs-'));
  const channel = openAgentChannel(folder, 1 << 20, given.options ?? SYNC_ONLY);
  const env = { ...process.env, ...given.env, ...channel.environment };
  const run = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 300_000,
    killSignal: 'SIGKILL',
    ...(given.input !== undefined && { input: given.input }),
  });
  const records = [...channel.records()];
  channel.close();
  const { stdout, stderr, status, signal } = run;
  const addresses = new Map<number, string>();
  for (const [, name, address] of stdout.matchAll(/^(\w+) 0x([0-9a-f]+)$/gm)) {
    addresses.set(Number.parseInt(address as string, 16), name as string);
  }
  return {
    ...{ status, signal, stdout, stderr, folder, records },
    threads: (name) => described(readLog(folder, name), addresses),
    names: readdirSync(folder)
      .filter((file) => file.endsWith('.log'))
      .map((file) => file.slice(0, -4))
      .sort(),
  };
}

export function readLog(folder: string, name: string): AgentLog {
  const file = name.includes('-') ? name : `1-${name}`;
  const log = readAgentLog(readFileSync(join(folder, `${file}.log`)));
  if (!log.ok) throw new Error(`${file}: ${log.error}`);
  return log.value;
}

const LOCK_KINDS = ['', 'mutex', 'rwlock', 'spin', 'condition', 'semaphore', 'barrier'];

/** `acquire mutex try`; memory is left out. */
function described(log: AgentLog, names: ReadonlyMap<number, string>): string[] {
  const lines: string[] = [];
  while (log.next()) {
    if (log.kind !== LogKind.DH_LOG_SYNC) continue;
    // libgcc, which unwinds the stack of a thread that is cancelled, has a pthread_once of its own.
    if (
      log.op >= LogOp.DH_OP_ONCE_BEGIN &&
      log.op <= LogOp.DH_OP_ONCE_PASS &&
      !names.has(log.object)
    )
      continue;
    lines.push(
      [LOG_OP_NAMES[log.op], names.get(log.object), ...details(log, names)].join(' ').trim(),
    );
  }
  if (log.damage !== undefined) lines.push(log.damage);
  return lines.map((line) => line.replace(/ +/g, ' '));
}

function details(log: AgentLog, names: ReadonlyMap<number, string>): string[] {
  const { extra } = log;
  switch (log.op) {
    case LogOp.DH_OP_ACQUIRE:
    case LogOp.DH_OP_ACQUIRE_SHARED:
      return [
        extra & LockBits.DH_LOCK_TRY ? 'try' : '',
        extra & LockBits.DH_LOCK_TIMED ? 'timed' : '',
        extra & LockBits.DH_LOCK_DEAD ? 'dead' : '',
      ];
    case LogOp.DH_OP_INIT:
    case LogOp.DH_OP_DESTROY:
      return [LOCK_KINDS[extra & 0xff] ?? '?'];
    case LogOp.DH_OP_WAIT_BEGIN:
    case LogOp.DH_OP_WAIT_END:
      return [names.get(extra) ?? '?'];
    case LogOp.DH_OP_FORK:
    case LogOp.DH_OP_JOIN:
    case LogOp.DH_OP_DETACH:
    case LogOp.DH_OP_CANCEL:
    case LogOp.DH_OP_PROCESS_FORK:
      return [String(extra)];
    default:
      return [];
  }
}
