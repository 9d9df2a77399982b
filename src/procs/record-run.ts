/** Records a program into a run directory of its own: what `record` and `procs` share. */
import { signalName } from '../linux/signals.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import type { RunInfo } from '../trace/run-info.ts';
import { type Recording, recordCommand, requireRunnable } from './recorder/record.ts';

export interface RecordedRun {
  run: Run;
  recording: Recording;
}

export async function recordRun(
  command: string[],
  version: string,
  output: string | undefined,
): Promise<RecordedRun> {
  requireRunnable(command);
  const cwd = process.cwd();
  const run = createRun({ version, engine: 'procs', command, cwd, recorder: 'ptrace' }, { output });
  try {
    const recording = await recordCommand(command, run.traceFile);
    run.update({ exit: exitOf(recording), ...stateOf(recording) });
    return { run, recording };
  } catch (error) {
    run.update({ state: 'failed', reason: String(error) });
    throw error;
  }
}

function exitOf({ exit }: Recording): NonNullable<RunInfo['exit']> {
  return 'signal' in exit ? { signal: signalName(exit.signal) } : exit;
}

function stateOf({ failure, interruptedBy }: Recording): Pick<RunInfo, 'state' | 'reason'> {
  if (failure) return { state: 'failed', reason: failure.message };
  if (interruptedBy === undefined) return { state: 'complete' };
  return { state: 'interrupted', reason: `ended by ${signalName(interruptedBy)}` };
}
