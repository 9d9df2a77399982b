/** Runs a program under the recorder and says how both of them ended. */
import { Worker } from 'node:worker_threads';
import { InternalError } from '../../base/assert.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { fromPlainError } from '../../base/plain-error.ts';
import { UserError } from '../../base/user-error.ts';
import { resolveExecutable } from '../../linux/executable.ts';
import { ownEnvironment, ownTracer } from '../../linux/own-process.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import { RecordingControl } from './control.ts';
import { Interruption } from './interruption.ts';
import type { WorkerResult, WorkerTask } from './worker.ts';

export interface Recording {
  /** How the program itself ended. */
  exit: { code: number } | { signal: number };
  /** The signal by which the user ended it early. */
  interruptedBy?: number;
  /** Why the recording is incomplete, although the program ended on its own. */
  failure?: Error;
}

/** Checked before a run directory is made: a misspelt name should leave nothing behind. */
export function requireRecordable(args: readonly string[]): void {
  resolveExecutable(args[0] ?? '');
  const tracer = ownTracer();
  if (tracer !== undefined) {
    throw new UserError(
      `deadheat is itself being traced by ${tracer}, and a program can have only one tracer`,
      'run it outside of that',
      ExitStatus.unavailable,
    );
  }
}

export async function recordCommand(
  args: readonly string[],
  traceFile: string,
): Promise<Recording> {
  const control = new RecordingControl();
  const interruption = new Interruption(control);
  const task: WorkerTask = {
    command: { args, environment: ownEnvironment() },
    traceFile,
    control: control.shared,
  };
  try {
    const result = await resultOf(
      new Worker(new URL('./worker.js', import.meta.url), { workerData: task }),
    );
    if (result.kind === 'broken') throw fromPlainError(result.error);
    const status = parseWaitStatus(result.status);
    const { failure } = result;
    return {
      exit: status.kind === 'killed' ? { signal: status.signal } : { code: exitCode(status) },
      ...(control.interruptedBy !== undefined && { interruptedBy: control.interruptedBy }),
      ...(failure && { failure: fromPlainError(failure) }),
    };
  } finally {
    interruption.stopListening();
  }
}

const exitCode = (status: ReturnType<typeof parseWaitStatus>): number =>
  status.kind === 'exited' ? status.code : 0;

function resultOf(worker: Worker): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(new InternalError('the recording thread ended without a word')),
    );
  });
}
