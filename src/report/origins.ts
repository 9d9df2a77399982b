/**
 * How the racing processes and threads came to be, for the text report:
 *
 *   Process cc1 (pid 14) was created by make (pid 12) at: vfork()
 *     #0 __vfork (libc.so.6+0xd3a10)
 *     running: cc1 -quiet a.c
 *
 *   Process make (pid 12) was started as: make -j4
 *
 * Each ancestor is told once a race: `seen` remembers those that were.
 */
import { printable } from '../base/printable.ts';
import { shellLine } from '../base/shell-line.ts';
import { frameLines } from './frames.ts';
import type { Task } from './model.ts';
import { ancestry, findTask, type TaskId, type TaskTable } from './tasks.ts';
import { processName, threadName } from './wording.ts';

export function describeOrigins(id: TaskId, table: TaskTable, seen: Set<Task>): string[] {
  return ancestry(table, id, seen).flatMap((task) => describeOrigin(task, table));
}

function describeOrigin(task: Task, table: TaskTable): string[] {
  const { parent, createdBy } = task;
  const command = task.command && printable(shellLine(task.command));
  if (parent === undefined) {
    return command === undefined ? [] : ['', `  ${taskName(task)} was started as: ${command}`];
  }
  const how = createdBy === undefined ? '' : ` at: ${printable(createdBy.what)}`;
  return [
    '',
    `  ${taskName(task)} was created by ${creatorName(task, parent, table)}${how}`,
    ...(createdBy === undefined ? [] : frameLines(createdBy)),
    ...(command === undefined ? [] : [`    running: ${command}`]),
  ];
}

function taskName(task: Task): string {
  const name = processName(task);
  if (!isThread(task)) return `Process ${name}`;
  return task.pid === 0 ? `Thread ${threadName(task)}` : `Thread ${threadName(task)} of ${name}`;
}

function creatorName(task: Task, parent: TaskId, table: TaskTable): string {
  const known = findTask(table, parent);
  if (isThread(task)) return `thread ${threadName(known ?? parent)}`;
  return known === undefined ? `pid ${parent.pid}` : processName(known);
}

/** A thread is created by another thread of its own process. */
const isThread = (task: Task): boolean => task.parent?.pid === task.pid;
