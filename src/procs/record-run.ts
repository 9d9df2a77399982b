/** Records a program into a run directory of its own: what `record` and `procs` share. */
import { UserError } from '../base/user-error.ts';
import { signalName } from '../linux/signals.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import type { RunInfo } from '../trace/run-info.ts';
import type { ChosenRecorder } from './recorder/choose-recorder.ts';
import { prepareProgram, type Recording, recordProgram } from './recorder/record.ts';

export interface RecordedRun {
  run: Run;
  recording: Recording;
}

export async function recordRun(
  command: string[],
  version: string,
  { name: recorder }: ChosenRecorder,
  output: string | undefined,
): Promise<RecordedRun> {
  const program = prepareProgram(command);
  const cwd = currentFolder();
  const run = createRun({ version, engine: 'procs', command, cwd, recorder }, { output });
  const recording = await recordProgram(program, recorder, run.traceFile).catch((error) => {
    note(run, { state: 'failed', reason: String(error) });
    throw error;
  });
  note(run, { exit: exitOf(recording), ...stateOf(recording) });
  return { run, recording };
}

/** On a full disk the recording itself has failed already, and that is what the user must hear of. */
function note(run: Run, changes: Partial<RunInfo>): void {
  try {
    run.update(changes);
  } catch (error) {
    if (changes.state !== 'failed') throw error;
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

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UserError('the current folder has been deleted', 'change to one that is there');
  }
}
