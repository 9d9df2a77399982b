/** What a task is about at this moment, by its letter in /proc/TASK/stat, and in which call; see proc(5). */
import type { Tid } from './ids.ts';
import { readProcFile } from './proc-file.ts';

/**
 * `running`: on a processor, or waiting for one. `disk`: in a sleep that no signal ends, such as that for
 * a disk. `other`: in a sleep that may last, stopped, or gone.
 */
export type TaskActivity = 'running' | 'disk' | 'other';

export function activityOf(task: Tid): TaskActivity {
  const stat = readProcFile(`/proc/${task}/stat`);
  // The name before it stands in parentheses, and may have some itself.
  const letter = stat && String.fromCharCode(stat[stat.lastIndexOf(')') + 2] ?? 0);
  if (letter === 'R') return 'running';
  return letter === 'D' ? 'disk' : 'other';
}

/** How long and how often it has run: two looks at one that sleeps differ if it has run in between. */
export const runsOf = (task: Tid): string =>
  readProcFile(`/proc/${task}/schedstat`)?.toString('latin1') ?? '';

export interface SleptCall {
  readonly number: number;
  readonly firstArgument: number;
}

/** The call in which it sleeps; undefined if it is in none, or is not asleep. We must be allowed to trace it. */
export function sleptCall(task: Tid): SleptCall | undefined {
  const text = readProcFile(`/proc/${task}/syscall`)?.toString('latin1') ?? '';
  const [, number, firstArgument] = /^(\d+) (0x[0-9a-f]+) /.exec(text) ?? [];
  if (number === undefined) return undefined;
  return { number: Number(number), firstArgument: Number(firstArgument) };
}

export const sleepsInCall = (task: Tid): number | undefined => sleptCall(task)?.number;

/** Where the stack of a task ends that sleeps or stands; undefined if it runs. We must be allowed to trace it. */
export function stackPointerOf(task: Tid): bigint | undefined {
  const words = readProcFile(`/proc/${task}/syscall`)?.toString('latin1').trim().split(' ') ?? [];
  const pointer = words.at(-2);
  return pointer?.startsWith('0x') ? BigInt(pointer) : undefined;
}
