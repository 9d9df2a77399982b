/**
 * From what the agent left behind to a trace: all logs of a run are merged into one order, and what only
 * one thread ever touched stays out.
 *
 *   const writer = new ThreadTraceWriter(run.traceFile);
 *   const { problems } = collectTrace({
 *     folder,                                 // with the logs
 *     records: [...channel.records()],
 *     lost: channel.lost,
 *     describe: describeModules(join(folder, 'blobs')),
 *     writer,
 *   });
 *   writer.close({ droppedEvents: 0 });
 */
import type { AgentHello, AgentProblemRecord, AgentRecord } from '../../linux/agent-channel.ts';
import { type AgentLogFile, openAgentLog } from '../../linux/agent-log-file.ts';
import { NONE, Op } from '../model/op.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { collectProcess } from './collect-process.ts';
import { findLogs, type ProcessLogs } from './log-folder.ts';
import type { Interlude } from './merged-logs.ts';
import { ModuleRows } from './module-rows.ts';
import { allocationKey, operationKey } from './order-key.ts';
import {
  agentProblem,
  damagedLog,
  endsTrace,
  lostRecords,
  missingReleases,
  unheldReleases,
  unreadableProcess,
} from './problem-texts.ts';
import type { DescribeModule } from './traced-module.ts';

export interface CollectOptions {
  /** Where the agent has written its logs, `<process>-<thread>.log`. */
  readonly folder: string;
  /** All that went through the channel. */
  readonly records: readonly AgentRecord[];
  /** Bytes of records that did not fit into the channel. */
  readonly lost?: number;
  readonly describe: DescribeModule;
  /** Gets the tables' rows and all events; whoever has opened it closes it. */
  readonly writer: ThreadTraceBuilder;
}

export interface Collected {
  /** What the trace lacks, and why: a line each, for people. */
  readonly problems: readonly string[];
  /** Processes, and threads of all of them. */
  readonly processes: number;
  readonly threads: number;
}

export function collectTrace(options: CollectOptions): Collected {
  return new Collection(options).run();
}

class Collection {
  readonly #options: CollectOptions;
  readonly #processes: readonly ProcessLogs[];
  /** By process: the row of its first thread. */
  readonly #firstThreads = new Map<number, number>();
  readonly #modules: ModuleRows;
  readonly #problems: string[] = [];

  constructor(options: CollectOptions) {
    const { folder, writer, records, describe, lost = 0 } = options;
    this.#options = options;
    this.#processes = findLogs(folder);
    this.#modules = new ModuleRows(writer.tables, records, describe);
    if (lost > 0) this.#problems.push(lostRecords(lost));
    for (const problem of problemsIn(records)) {
      this.#problems.push(agentProblem({ ...problem, pid: this.#pidOf(problem.process) }));
    }
  }

  run(): Collected {
    // A process may fork another before that one's events are made.
    for (const process of this.#processes) this.#addThreads(process);
    for (const process of this.#processes) this.#collect(process);
    return {
      problems: this.#problems,
      processes: this.#processes.length,
      threads: this.#options.writer.tables.threads.count,
    };
  }

  #addThreads({ process, logs }: ProcessLogs): void {
    const { threads } = this.#options.writer.tables;
    const names = new Map<number, string>();
    for (const record of this.#options.records) {
      if (record.kind === 'thread' && record.process === process) {
        names.set(record.thread, record.name);
      }
    }
    this.#firstThreads.set(process, threads.count);
    for (const { header } of logs) {
      const name = names.get(header.thread) ?? header.name;
      threads.add({ name, process: header.pid, tid: header.tid });
    }
  }

  #collect(found: ProcessLogs): void {
    const { process, logs, unreadable } = found;
    const pid = this.#pidOf(process);
    if (unreadable.length > 0) {
      this.#problems.push(unreadableProcess(pid, unreadable[0]!));
      return;
    }
    const files = openAll(logs.map(({ path }) => path));
    try {
      const collected = collectProcess({
        files,
        firstThread: this.#firstThreads.get(process)!,
        sites: this.#modules.sitesOf(process),
        limit: this.#limitOf(process),
        interludes: this.#forksBy(found),
        writer: this.#options.writer,
      });
      for (const [i, damage] of collected.damages.entries()) {
        if (damage !== undefined) this.#problems.push(damagedLog(logs[i]!.path, damage));
      }
      const { unheldReleases: unheld, missingReleases: missing } = collected;
      // A forked process holds what its parent had locked.
      if (unheld > 0 && !found.forkedBy) this.#problems.push(unheldReleases(pid, unheld));
      if (missing > 0) this.#problems.push(missingReleases(pid, missing));
    } finally {
      for (const file of files) file.close();
    }
  }

  /** What the process's threads forked, and when. */
  #forksBy({ process, logs }: ProcessLogs): Interlude[] {
    const { writer } = this.#options;
    const first = this.#firstThreads.get(process)!;
    return this.#processes
      .flatMap(({ process: child, forkedBy, logs: own }) => {
        if (forkedBy?.process !== process || own.length === 0) return [];
        const place = logs.findIndex(({ header }) => header.thread === forkedBy.thread);
        if (place < 0) return [];
        const target = this.#firstThreads.get(child)!;
        const happen = (): void => writer.append(first + place, Op.processFork, target, NONE);
        return [{ key: allocationKey(forkedBy.seq), happen }];
      })
      .sort((a, b) => a.key - b.key);
  }

  #limitOf(process: number): number {
    const ends = problemsIn(this.#options.records)
      .filter((problem) => problem.process === process && endsTrace(problem))
      .map(({ seq }) => operationKey(seq));
    return Math.min(Number.POSITIVE_INFINITY, ...ends);
  }

  #pidOf(process: number): number {
    const hello = this.#options.records.find(
      (record): record is AgentHello => record.kind === 'hello' && record.process === process,
    );
    if (hello) return hello.pid;
    const logs = this.#processes.find((one) => one.process === process)?.logs;
    return logs?.[0]?.header.pid ?? 0;
  }
}

const problemsIn = (records: readonly AgentRecord[]): AgentProblemRecord[] =>
  records.filter((record): record is AgentProblemRecord => record.kind === 'problem');

function openAll(paths: readonly string[]): AgentLogFile[] {
  const files: AgentLogFile[] = [];
  try {
    for (const path of paths) {
      const file = openAgentLog(path);
      if (!file.ok) throw new Error(`${path}: ${file.error.reason}`);
      files.push(file.value);
    }
  } catch (error) {
    for (const file of files) file.close();
    throw error;
  }
  return files;
}
