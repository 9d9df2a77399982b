/** What `record` and `procs` tell the user about a recording, and how they exit because of it. */
import { join } from 'node:path';
import { printable } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { pid } from '../linux/ids.ts';
import { Signal, signalName } from '../linux/signals.ts';
import {
  type RecordedRun,
  type RecordRunOptions,
  recordAttached,
  recordRun,
} from '../procs/record-run.ts';
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
  options: RecordOptions & { timeout?: number },
  terminal: Terminal,
  beforeKeeping?: RecordRunOptions['beforeKeeping'],
): Promise<Recorded> {
  const recorder = chooseRecorder(options.recorder);
  const { output, inPlace = false, keep = false, duration: seconds, timeout: limitMs } = options;
  const how = { version, recorder, output, inPlace, keep, seconds, limitMs, beforeKeeping };
  const recorded = await recordRun(command, how);
  const { run, recording } = recorded;
  const { failure, interruptedBy, exit } = recording;
  if (failure) {
    tellOfChanges(recorded, keep, terminal);
    throw failure;
  }
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
  const slowly = recorder.because ? ` with ptrace, which is slower (${recorder.because})` : '';
  terminal.remark(`recorded in ${run.name}${slowly}`);
  if (recorded.wasTooSlow) {
    const seconds = Math.round((limitMs ?? 0) / 100) / 10;
    terminal.warn(
      `the command did not end within ${seconds} s, and was ended; --timeout gives it more`,
    );
  }
  tellOfChanges(recorded, keep, terminal);
  // That our own signal ended it is no failure.
  const wasEnded = recording.killed || ('signal' in exit && exit.signal === Signal.SIGINT);
  if (recording.timeIsUp && wasEnded) return { ...recorded, outcome: { status: 0 } };
  return { ...recorded, outcome };
}

/** A process that runs already; it goes on afterwards, and its end is not ours to pass on. */
export async function recordProcess(
  number: number,
  options: RecordOptions,
  terminal: Terminal,
): Promise<Outcome> {
  if (options.recorder === 'ptrace') {
    throw new UserError(
      'a process that runs already cannot be recorded with ptrace, which would have to stop it',
      'leave out --recorder ptrace',
    );
  }
  chooseRecorder('bpf', 'record as root; what you start yourself can be recorded without');
  const { output, duration: seconds } = options;
  const attached = (): void =>
    terminal.remark(`recording process ${number} and what it starts; Ctrl-C ends the recording`);
  const how = { version, output, seconds, attached };
  const { run, failure } = await recordAttached(pid(number), how);
  if (failure) throw failure;
  terminal.remark(`recorded in ${run.name}`);
  return { status: 0 };
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
