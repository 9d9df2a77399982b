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

/** The number of the call in which it sleeps; undefined if it is in none, or is not asleep. We must be allowed to trace it. */
export function sleepsInCall(task: Tid): number | undefined {
  const [, number] =
    /^(\d+) /.exec(readProcFile(`/proc/${task}/syscall`)?.toString('latin1') ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Where the stack of a task ends that sleeps or stands; undefined if it runs. We must be allowed to trace it. */
export function stackPointerOf(task: Tid): bigint | undefined {
  const words = readProcFile(`/proc/${task}/syscall`)?.toString('latin1').trim().split(' ') ?? [];
  const pointer = words.at(-2);
  return pointer?.startsWith('0x') ? BigInt(pointer) : undefined;
}
