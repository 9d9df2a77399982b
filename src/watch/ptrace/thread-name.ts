/** Who a thread is, as people know it: the process's name, and its own if it has one. */
import { basename } from 'node:path';
import { decodeBytes } from '../../base/bytes.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import { readProcFile } from '../../linux/proc-file.ts';
import { runningProgram } from '../../linux/running-process.ts';
import type { RunnerName } from '../debug-target.ts';

export function nameOfThread(process: Pid, task: Tid): RunnerName {
  const program = basename(runningProgram(process).path);
  const name = commandName(process, task);
  return {
    process: program,
    pid: process,
    thread: task,
    // Threads that nobody has named have the name of the process.
    ...(name !== '' && name !== commandName(process, process) && { threadName: name }),
  };
}

const commandName = (process: Pid, task: Tid | Pid): string =>
  decodeBytes(readProcFile(`/proc/${process}/task/${task}/comm`) ?? Buffer.alloc(0)).trimEnd();
