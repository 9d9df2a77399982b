/** What `record` and `procs` tell the user about a recording, and how they exit because of it. */
import { signalName } from '../linux/signals.ts';
import { type RecordedRun, recordRun } from '../procs/record-run.ts';
import { chooseRecorder } from '../procs/recorder/choose-recorder.ts';
import type { RecordOptions } from './common-options.ts';
import type { Outcome } from './outcome.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export interface Recorded extends RecordedRun {
  /** The way the program ended, or the way the user ended it. */
  outcome: Outcome;
}

/** Throws if the recording failed, although the program may have run well. */
export async function record(
  command: string[],
  options: RecordOptions,
  terminal: Terminal,
): Promise<Recorded> {
  const recorder = chooseRecorder(options.recorder);
  const recorded = await recordRun(command, version, recorder, options.output);
  const { run, recording } = recorded;
  const { failure, interruptedBy, exit } = recording;
  if (failure) throw failure;
  const outcome: Outcome = 'signal' in exit ? exit : { status: exit.code };
  if (interruptedBy !== undefined) {
    terminal.warn(
      `interrupted by ${signalName(interruptedBy)}: the program and all its processes have ended; ` +
        `what was recorded until then is kept in ${run.name}`,
    );
    if (recording.killed) return { ...recorded, outcome: { signal: interruptedBy } };
    return { ...recorded, outcome };
  }
  const how = recorder.because ? ` with ptrace, which is slower (${recorder.because})` : '';
  terminal.remark(`recorded in ${run.name}${how}`);
  return { ...recorded, outcome };
}
