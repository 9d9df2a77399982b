/**
 * A recording as a script: for each task, what it did, in its own order; and over all tasks, the
 * order in which these things took effect. That is the order of the timeline (detect/timeline.ts):
 * calls that let others go on count from their beginning, all others from their end.
 *
 *   make   fork₀ ······ wait₄            turn 0: make starts sh
 *   sh     mkdir₁ stat₂ exit₃            turn 1: sh makes the folder, …
 */
import { tellingOf } from '../../base/progress.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { ExitRecord } from '../../trace/records/exit.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { SignalRecord } from '../../trace/records/signal.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import { inOrder } from '../detect/timeline.ts';
import { isExec } from '../model/call-groups.ts';
import { MADE_UP_CALLS } from '../model/made-up-calls.ts';
import { insignificantNumbers } from './significance.ts';
import { dependsOnFilters } from './unseen-rest.ts';

export type ScriptedRecord = CallRecord | StartRecord | SignalRecord | ExitRecord;

/** One thing that a task does, or that happens to it. */
export interface Item {
  readonly turn: number;
  readonly record: ScriptedRecord;
  readonly task: ScriptedTask;
  /** Whether it needs a place in the order: significance.ts. */
  readonly isSignificant: boolean;
  /** Whom a start record starts. */
  readonly child?: ScriptedTask;
  /** The call that a signal came after, be it left out or not. */
  readonly follows?: CallRecord | undefined;
}

export interface ScriptedTask {
  /** They are numbered in the order in which they started. */
  readonly number: number;
  readonly start: StartRecord;
  readonly items: Item[];
}

export interface Script {
  readonly root: ScriptedTask;
  readonly tasks: readonly ScriptedTask[];
  /** All of them, each at its turn. */
  readonly items: readonly Item[];
  /** Calls that are left out, since none of them is significant, or nobody else's business. */
  readonly leftOut: ReadonlySet<number>;
  /** Whether what a program does depends on seccomp filters: unseen-rest.ts. */
  readonly dependsOnFilters: boolean;
}

/** undefined if no task was recorded. Without a list of them, all calls are significant. */
export function buildScript(
  records: readonly TraceRecord[],
  significant?: ReadonlySet<CallRecord>,
): Script | undefined {
  const calls = records.filter((record) => record.kind === 'call');
  const insignificant = significant ? insignificantNumbers(calls, significant) : [];
  const leftOut = new Set([...insignificant, ...MADE_UP_CALLS]);
  const tasks: ScriptedTask[] = [];
  const items: Item[] = [];
  /** A number is used again after its owner is gone: the latest one is meant. */
  const current = new Map<number, ScriptedTask>();
  const lastCalls = new Map<number, CallRecord>();
  const add = (
    task: number,
    record: ScriptedRecord,
    more?: Pick<Item, 'child' | 'follows'>,
  ): void => {
    const owner = current.get(task);
    if (!owner) return;
    const isSignificant = record.kind !== 'call' || (significant?.has(record) ?? true);
    const item = {
      turn: items.length,
      record,
      task: owner,
      isSignificant,
      ...more,
    };
    owner.items.push(item);
    items.push(item);
  };
  // In the middle of its exec, a vforked child lets its parent go on.
  for (const record of tellingOf('calls written into a script', inOrder(records, isExec))) {
    switch (record.kind) {
      case 'start': {
        const child = { number: tasks.length, start: record, items: [] };
        tasks.push(child);
        if (record.parentTid) add(record.parentTid, record, { child });
        current.set(record.tid, child);
        lastCalls.delete(record.tid);
        break;
      }
      case 'call':
        if (!leftOut.has(record.number)) add(record.tid, record);
        lastCalls.set(record.tid, record);
        break;
      case 'exit':
        add(record.tid, record);
        break;
      case 'signal':
        if (record.phase !== 'sent') {
          add(record.to, record, { follows: lastCalls.get(record.to) });
        }
    }
  }
  const [root] = tasks;
  return root && { root, tasks, items, leftOut, dependsOnFilters: calls.some(dependsOnFilters) };
}
