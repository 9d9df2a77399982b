/** Whether a process that the user named can be recorded; says in plain words why not. */
import type { Pid } from '../../linux/ids.ts';
import { requireProgram } from '../../linux/require-program.ts';

export const requireRecordable = (pid: Pid): void =>
  requireProgram(pid, { verb: 'record', notTheKernel: 'which makes no system calls' });
