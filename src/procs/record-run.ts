/** Records a program into a run directory of its own: what `record` and `procs` share. */
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { prepareSandbox } from '../linux/sandbox/prepare.ts';
import type { SandboxPlan } from '../linux/sandbox/sandbox.ts';
import { type SettledChanges, settleChanges } from '../linux/sandbox/settle.ts';
import { signalName } from '../linux/signals.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import type { RunInfo } from '../trace/run-info.ts';
import type { ChosenRecorder } from './recorder/choose-recorder.ts';
import { prepareProgram, type Recording, recordProgram } from './recorder/record.ts';

export interface RecordedRun {
  run: Run;
  recording: Recording;
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
}

const CHANGES = 'changes';

export async function recordRun(
  command: string[],
  { version, recorder: { name: recorder }, output, inPlace, keep }: RecordRunOptions,
): Promise<RecordedRun> {
  const program = prepareProgram(command);
  const cwd = currentFolder();
  const run = createRun({ version, engine: 'procs', command, cwd, recorder }, { output });
  const folder = join(run.path, CHANGES);
  try {
    const sandbox = inPlace ? undefined : prepare(folder);
    if (sandbox) run.update({ files: { in: 'sandbox', kept: keep, layers: layersOf(sandbox) } });
    else run.update({ files: { in: 'place' } });
    const since = sandbox && lstatSync(folder, { bigint: true }).ctimeNs;
    const plan = { recorder, traceFile: run.traceFile, sandbox };
    const recording = await recordProgram(program, plan);
    note(run, { exit: exitOf(recording), ...stateOf(recording) });
    if (!sandbox || since === undefined) return { run, recording };
    const changes = settleChanges(sandbox, recording.fileSystem, { keep, since });
    note(run, { files: { in: 'sandbox', kept: keep, layers: changes.layers.map(layerInfo) } });
    return { run, recording, changes };
  } catch (error) {
    note(run, { state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

function prepare(folder: string): SandboxPlan {
  try {
    mkdirSync(folder);
    return prepareSandbox(folder);
  } catch (error) {
    throw new UserError(
      `cannot prepare a sandbox in ${folder}: ${(error as Error).message}`,
      'choose another place with -o DIR, or record with --in-place',
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
