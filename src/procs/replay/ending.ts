/** How the processes of a run ended, told from its records. */
import { basename } from 'node:path';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { RunOutcome } from '../check/outcome.ts';

interface LivingTask {
  readonly isLeader: boolean;
  program: string;
}

/** Takes the records one by one, in the order in which they were made. */
export class Ending {
  readonly #living = new Map<number, LivingTask>();
  readonly #deaths: { program: string; signal: number }[] = [];
  #root: number | undefined;
  #leftovers: readonly string[] = [];

  get deaths(): RunOutcome['deaths'] {
    return this.#deaths;
  }

  /** The programs that were running when the command itself ended. */
  get leftovers(): readonly string[] {
    return this.#leftovers;
  }

  note(record: TraceRecord): void {
    switch (record.kind) {
      case 'start': {
        this.#root ??= record.tid;
        const program = this.#living.get(record.parentTid ?? 0)?.program ?? '';
        this.#living.set(record.tid, { isLeader: record.how !== 'thread', program });
        return;
      }
      case 'exec': {
        const task = this.#living.get(record.tid);
        const [called = record.path] = record.commandLine.split('\0');
        if (task) task.program = basename(called);
        return;
      }
      case 'exit':
        return this.#exited(record.tid, record.status);
    }
  }

  #exited(tid: number, rawStatus: number): void {
    const task = this.#living.get(tid);
    this.#living.delete(tid);
    if (!task?.isLeader) return;
    const status = parseWaitStatus(rawStatus);
    if (status.kind === 'killed') {
      this.#deaths.push({ program: task.program, signal: status.signal });
    }
    if (tid !== this.#root) return;
    const others = [...this.#living.values()].filter(({ isLeader }) => isLeader);
    this.#leftovers = others.map(({ program }) => program);
  }
}
