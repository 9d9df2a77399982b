/**
 * Who is who: finds the task behind an access and the line of its ancestors.
 *
 *   make (pid 12) ─ sh (pid 13) ─ cc1 (pid 14)     ancestry of cc1: cc1, sh, make
 *
 * Limits: a pid that was used twice in one run stands for one task here.
 */
import type { Report, Task } from './model.ts';

export interface TaskId {
  readonly pid: number;
  readonly thread: number;
}

export type TaskTable = ReadonlyMap<string, Task>;

export const taskKey = ({ pid, thread }: TaskId): string => `${pid}/${thread}`;

/** Built once a report: lookups must not scan the list for every race. */
export function taskTable(report: Report): TaskTable {
  const table = new Map<string, Task>();
  for (const task of report.tasks ?? []) {
    table.set(taskKey(task), task);
    const process = String(task.pid);
    if (!table.has(process)) table.set(process, task);
  }
  return table;
}

/** The thread itself, or the first known thread of its process. */
export function findTask(table: TaskTable, id: TaskId): Task | undefined {
  return table.get(taskKey(id)) ?? table.get(String(id.pid));
}

/** The task and those that created it, youngest first; stops at what `seen` already holds. */
export function ancestry(table: TaskTable, id: TaskId, seen: Set<Task>): Task[] {
  const line: Task[] = [];
  let task = findTask(table, id);
  while (task !== undefined && !seen.has(task)) {
    seen.add(task);
    line.push(task);
    task = task.parent && findTask(table, task.parent);
  }
  return line;
}
