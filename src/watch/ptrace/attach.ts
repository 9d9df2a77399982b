/** Watches a process that runs already: all its threads are seized, and none of them is stopped for it. */
import { type Pid, type Tid, tid } from '../../linux/ids.ts';
import { seize, TraceOption } from '../../linux/ptrace.ts';
import { requireProgram } from '../../linux/require-program.ts';
import { threadsOf } from '../../linux/running-process.ts';
import { SystemError } from '../../linux/system-error.ts';
import { attachFailure } from './attach-failure.ts';
import { PtraceTarget, type TargetOptions } from './ptrace-target.ts';

/** If we are killed, the kernel lets all of them go: nobody dies with us. */
const FOLLOW_THREADS = TraceOption.fork | TraceOption.vfork | TraceOption.clone | TraceOption.exec;

export async function attachTarget(
  process: Pid,
  options: TargetOptions = {},
): Promise<PtraceTarget> {
  requireProgram(process, { verb: 'watch', notTheKernel: 'which this way cannot be watched' });
  try {
    seize(tid(process), FOLLOW_THREADS);
  } catch (error) {
    throw attachFailure(process, error);
  }
  const target = new PtraceTarget(tid(process), options);
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const task of threadsOf(process)) {
      if (target.process.threads.has(task) || !seized(task)) continue;
      target.process.adopt(task);
      isNew = true;
    }
  }
  target.attached();
  return target;
}

/** One that was made by a thread that we have seized already is traced from its start, or has ended since. */
function seized(task: Tid): boolean {
  try {
    seize(task, FOLLOW_THREADS);
    return true;
  } catch (error) {
    if (error instanceof SystemError) return false;
    throw error;
  }
}
