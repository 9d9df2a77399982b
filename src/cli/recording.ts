/** What `record` and `procs` tell the user about a recording, and how they exit because of it. */
import { join } from 'node:path';
import { printable } from '../base/bytes.ts';
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
  const { output, inPlace = false, keep = false } = options;
  const recorded = await recordRun(command, { version, recorder, output, inPlace, keep });
  const { run, recording } = recorded;
  const { failure, interruptedBy, exit } = recording;
  if (failure) throw failure;
  const outcome: Outcome = 'signal' in exit ? exit : { status: exit.code };
  if (interruptedBy !== undefined) {
    terminal.warn(
      `interrupted by ${signalName(interruptedBy)}: the program and all its processes have ended; ` +
        `what was recorded until then is kept in ${run.name}`,
    );
    tellOfChanges(recorded, keep, terminal);
    if (recording.killed) return { ...recorded, outcome: { signal: interruptedBy } };
    return { ...recorded, outcome };
  }
  const how = recorder.because ? ` with ptrace, which is slower (${recorder.because})` : '';
  terminal.remark(`recorded in ${run.name}${how}`);
  tellOfChanges(recorded, keep, terminal);
  return { ...recorded, outcome };
}

function tellOfChanges(
  { run, recording, changes }: RecordedRun,
  keep: boolean,
  terminal: Terminal,
): void {
  for (const place of recording.fileSystem?.readOnly ?? []) {
    terminal.warn(
      `${place} could not be put into the sandbox, so the program could only read there`,
    );
  }
  if (!changes) return;
  for (const { path, reason } of changes.notCommitted) {
    terminal.warn(`did not change ${printable(path)}: ${reason}`);
  }
  if (changes.layers.length === 0) return;
  const where = changes.layers.map(({ layer }) => join(run.path, 'changes', `${layer}`, 'upper'));
  const shown = where.length === 1 ? where[0] : join(run.path, 'changes');
  if (keep) terminal.warn(`what could not be changed is in ${shown}`);
  else
    terminal.remark(`the files that it changed are in ${shown}; --keep would have changed yours`);
}
