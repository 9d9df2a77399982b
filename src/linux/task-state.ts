/** What a task is about at this moment, by its letter in /proc/TASK/stat; see proc(5). */
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
