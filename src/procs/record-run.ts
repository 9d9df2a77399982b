/** Records a program into a run directory of its own: what `record` and `procs` share. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import type { Pid } from '../linux/ids.ts';
import { knownDevices } from '../linux/known-devices.ts';
import { ownFolder } from '../linux/own-process.ts';
import { prepareProgram } from '../linux/prepare-program.ts';
import { runningProgram, runningTree } from '../linux/running-process.ts';
import type { SandboxPlan } from '../linux/sandbox/sandbox.ts';
import { type SettledChanges, type SettleOptions, settleChanges } from '../linux/sandbox/settle.ts';
import { signalName } from '../linux/signals.ts';
import { DID_NOT_END } from '../trace/new-run-info.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import type { RunInfo } from '../trace/run-info.ts';
import { prepareIn } from './prepare-sandbox.ts';
import type { ChosenRecorder } from './recorder/choose-recorder.ts';
import { type Recording, recordProgram, recordRunningProcess } from './recorder/record.ts';
import { requireRecordable } from './recorder/require-recordable.ts';
import { storeProgram } from './replay/store-program.ts';

export interface RecordedRun {
  run: Run;
  recording: Recording;
  /** It did not end within the limit, and was ended. */
  wasTooSlow: boolean;
  /** What became of the changes, unless the program ran in place. */
  changes?: SettledChanges | undefined;
}

export interface RecordRunOptions {
  version: string;
  recorder: ChosenRecorder;
  output?: string | undefined;
  /** Let the program change the real files. */
  inPlace: boolean;
  /** Make the changes real at the end. */
  keep: boolean;
  /** For how long. */
  seconds?: number | undefined;
  /** How long it may take before it counts as hung. */
  limitMs?: number | undefined;
  /** What is to be done while the files are still as they were when the program started. */
  beforeKeeping?: ((run: Run, recording: Recording) => Promise<void>) | undefined;
}

const CHANGES = 'changes';

export async function recordRun(
  command: string[],
  options: RecordRunOptions,
): Promise<RecordedRun> {
  const { version, recorder: chosen, output, inPlace, keep, beforeKeeping } = options;
  const { name: recorder } = chosen;
  const program = prepareProgram(command);
  const cwd = currentFolder();
  const devices = knownDevices();
  const info = { version, engine: 'procs', command, cwd, devices, recorder } as const;
  const run = createRun(info, { output });
  const folder = join(run.path, CHANGES);
  try {
    storeProgram(run, program);
    const sandbox = inPlace ? undefined : prepareIn(folder, run);
    if (sandbox) run.update({ files: { in: 'sandbox', kept: false, layers: layersOf(sandbox) } });
    else run.update({ files: { in: 'place' } });
    const since = sandbox && lstatSync(encodeBytes(folder), { bigint: true }).ctimeNs;
    const { afterMs, isLimit } = timeFor(options);
    const plan = { recorder, traceFile: run.traceFile, sandbox, afterMs };
    const recording = await recordProgram(program, plan).catch((error) => {
      if (sandbox) clearAway(sandbox);
      throw error;
    });
    const wasTooSlow = recording.timeIsUp && isLimit;
    note(run, { exit: exitOf(recording), ...stateOf(recording, wasTooSlow) });
    if (!sandbox || since === undefined) return { run, recording, wasTooSlow };
    let changes = settle(sandbox, recording.fileSystem, { keep: false, since });
    const settled = (kept: boolean) =>
      note(run, { files: { in: 'sandbox', kept, layers: changes.layers.map(layerInfo) } });
    settled(false);
    await beforeKeeping?.(run, recording);
    if (keep) {
      changes = settle(onlyWith(sandbox, changes), undefined, { keep, since });
      settled(true);
    }
    return { run, recording, wasTooSlow, changes };
  } catch (error) {
    note(run, { state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

export interface AttachOptions extends Pick<RecordRunOptions, 'version' | 'output' | 'seconds'> {
  /** Is called when everything is recorded from then on. */
  attached(): void;
}

/** Records processes that run already; they are neither ours to sandbox nor to end. */
export async function recordAttached(
  pid: Pid,
  { version, output, seconds, attached }: AttachOptions,
): Promise<{ run: Run; failure?: Error }> {
  requireRecordable(pid);
  const { commandLine, path, folder: cwd } = runningProgram(pid);
  const command = commandLine === '' ? [path] : commandLine.split('\0');
  const folders = otherFolders(pid, cwd);
  const devices = knownDevices();
  const place = { cwd, folders, devices };
  const info = { version, engine: 'procs', command, ...place, recorder: 'bpf' } as const;
  const run = createRun(info, { output });
  try {
    run.update({ files: { in: 'place' } });
    const afterMs = milliseconds(seconds);
    const { failure } = await recordRunningProcess(pid, run.traceFile, afterMs, attached);
    note(run, failure ? { state: 'failed', reason: failure.message } : { state: 'complete' });
    return { run, ...(failure && { failure }) };
  } catch (error) {
    note(run, { state: 'failed', reason: String(error) });
    throw error;
  }
}

function otherFolders(root: Pid, cwd: string): Record<string, string> {
  const processes = new Set(runningTree(root).map(({ process }) => process));
  const folders = [...processes].map((process) => [process, runningProgram(process).folder]);
  return Object.fromEntries(folders.filter(([, folder]) => folder !== '' && folder !== cwd));
}

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

/** After what time to end it, and whether that is because it then counts as hung. */
function timeFor({ seconds, limitMs }: RecordRunOptions): { afterMs?: number; isLimit: boolean } {
  const wantedMs = milliseconds(seconds);
  const isLimit = limitMs !== undefined && limitMs < (wantedMs ?? Number.POSITIVE_INFINITY);
  const afterMs = isLimit ? limitMs : wantedMs;
  return { ...(afterMs !== undefined && { afterMs }), isLimit };
}

/** The program never started, or we broke down: what there may be of changes stays. */
function clearAway(sandbox: SandboxPlan): void {
  try {
    settleChanges(sandbox, undefined, { keep: false, since: 0n });
  } catch {
    // What went wrong before is what the user must hear of.
  }
}

/** Layers without changes are gone. */
function onlyWith(sandbox: SandboxPlan, { layers }: SettledChanges): SandboxPlan {
  const isThere = (number: number): boolean => layers.some(({ layer }) => layer === number);
  const parts = sandbox.parts.filter((part) => part.kind === 'layer' && isThere(part.layer));
  return { ...sandbox, parts };
}

function settle(
  sandbox: SandboxPlan,
  fileSystem: Recording['fileSystem'],
  options: SettleOptions,
): SettledChanges {
  try {
    return settleChanges(sandbox, fileSystem, options);
  } catch (error) {
    throw new UserError(
      `cannot put the changes of the program in order: ${(error as Error).message}`,
      `what there is of them is in ${sandbox.changes}`,
      ExitStatus.unavailable,
    );
  }
}

type LayerInfo = { place: string; changes: string };

const layerInfo = ({ place, layer }: { place: string; layer: number }): LayerInfo => ({
  place,
  changes: `${CHANGES}/${layer}/upper`,
});

const layersOf = ({ parts }: SandboxPlan): LayerInfo[] =>
  parts.flatMap((part) => (part.kind === 'layer' ? [layerInfo(part)] : []));

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

function stateOf(recording: Recording, wasTooSlow: boolean): Pick<RunInfo, 'state' | 'reason'> {
  const { failure, interruptedBy, timeIsUp } = recording;
  if (failure) return { state: 'failed', reason: failure.message };
  if (interruptedBy === undefined && timeIsUp)
    return { state: 'complete', reason: wasTooSlow ? DID_NOT_END : 'its time was up' };
  if (interruptedBy === undefined) return { state: 'complete' };
  return { state: 'interrupted', reason: `ended by ${signalName(interruptedBy)}` };
}

function currentFolder(): string {
  try {
    return ownFolder();
  } catch {
    throw new UserError('the current folder has been deleted', 'change to one that is there');
  }
}
