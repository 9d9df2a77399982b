/**
 * Which logs a run has left, by process. They are opened for a moment to see whose they are, and again when
 * their process's turn has come: there may be more of them than can be mapped at once.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentLogHeader } from '../../linux/agent-log.ts';
import { type AgentLogFile, openAgentLog } from '../../linux/agent-log-file.ts';
import { LogKind, LogOp } from '../../linux/agent-protocol.ts';

export interface FoundLog {
  readonly path: string;
  readonly header: AgentLogHeader;
}

export interface ProcessLogs {
  /** The agent's number for it. */
  readonly process: number;
  /** By number of their threads. */
  readonly logs: readonly FoundLog[];
  /** Who forked it, when, as the first record says; undefined if nobody did, or that is not known. */
  readonly forkedBy:
    | { readonly process: number; readonly thread: number; readonly seq: number }
    | undefined;
  /** What is wrong with logs that cannot be read at all. */
  readonly unreadable: readonly string[];
}

/** Processes in the order of their numbers: a parent comes before its children. */
export function findLogs(folder: string): ProcessLogs[] {
  const processes = new Map<number, { path: string; thread: number }[]>();
  for (const name of readdirSync(folder)) {
    const [, process, thread] = /^(\d+)-(\d+)\.log$/.exec(name) ?? [];
    if (process === undefined) continue;
    const found = processes.get(Number(process)) ?? [];
    processes.set(Number(process), found);
    found.push({ path: join(folder, name), thread: Number(thread) });
  }
  return [...processes]
    .sort(([a], [b]) => a - b)
    .map(([process, found]) =>
      look(
        process,
        found.sort((a, b) => a.thread - b.thread),
      ),
    );
}

function look(process: number, found: readonly { path: string }[]): ProcessLogs {
  const logs: FoundLog[] = [];
  const unreadable: string[] = [];
  let forkedBy: ProcessLogs['forkedBy'];
  for (const { path } of found) {
    const opened = openAgentLog(path);
    if (!opened.ok) {
      // A thread that was killed while it started has not come to that.
      if (!opened.error.isUnwritten) unreadable.push(`${path}: ${opened.error.reason}`);
      continue;
    }
    const file = opened.value;
    logs.push({ path, header: file.header });
    if (file.header.thread === 1) forkedBy = forkOf(file);
    file.close();
  }
  return { process, logs, forkedBy, unreadable };
}

function forkOf(file: AgentLogFile): ProcessLogs['forkedBy'] {
  const log = file.read();
  if (!log.next() || log.kind !== LogKind.DH_LOG_SYNC) return undefined;
  if (log.op !== LogOp.DH_OP_PROCESS_FORK) return undefined;
  return { process: log.object, thread: log.extra, seq: log.seq };
}
