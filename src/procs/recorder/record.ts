/** Runs a program under the recorder and says how both of them ended. */
import { Worker } from 'node:worker_threads';
import { InternalError } from '../../base/assert.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { fromPlainError } from '../../base/plain-error.ts';
import { UserError } from '../../base/user-error.ts';
import { resolveExecutable } from '../../linux/executable.ts';
import { ownEnvironment, ownInheritance } from '../../linux/own-inheritance.ts';
import { ownTracer } from '../../linux/own-process.ts';
import type { BuiltFileSystem } from '../../linux/sandbox/file-system.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import type { Program } from '../../linux/start-traced.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { RecorderName } from './choose-recorder.ts';
import { RecordingControl } from './control.ts';
import { Interruption } from './interruption.ts';
import type { WorkerResult, WorkerTask } from './worker.ts';

export interface Recording {
  /** How the program itself ended. */
  exit: { code: number } | { signal: number };
  /** The signal by which the user asked for the end. */
  interruptedBy?: number;
  /** The program did not heed it, and was killed. */
  killed: boolean;
  /** Why the recording is incomplete, although the program ended on its own. */
  failure?: Error;
  /** What became of the sandbox, if there was one. */
  fileSystem?: BuiltFileSystem | undefined;
}

/** What there is to run; checked before a run directory is made, so that a slip leaves nothing behind. */
export function prepareProgram(args: readonly string[]): Program {
  const path = resolveExecutable(args[0] ?? '');
  const tracer = ownTracer();
  if (tracer !== undefined) {
    throw new UserError(
      `deadheat is itself being traced by ${tracer}, and a program can have only one tracer`,
      'run it outside of that',
      ExitStatus.unavailable,
    );
  }
  return { path, args, environment: ownEnvironment(), inheritance: ownInheritance() };
}

export interface RecordingPlan {
  recorder: RecorderName;
  traceFile: string;
  /** Absent: the program runs in place. */
  sandbox?: SandboxPlan | undefined;
}

export async function recordProgram(program: Program, plan: RecordingPlan): Promise<Recording> {
  const control = new RecordingControl();
  const interruption = new Interruption(control, program.inheritance.ignoredSignals);
  const task: WorkerTask = { program, ...plan, control: control.shared };
  try {
    const result = await resultOf(
      new Worker(new URL('./worker.js', import.meta.url), {
        workerData: task,
        trackUnmanagedFds: false,
      }),
    );
    if (result.kind === 'broken') throw fromPlainError(result.error);
    const status = parseWaitStatus(result.status);
    const { failure, fileSystem } = result;
    return {
      exit: status.kind === 'killed' ? { signal: status.signal } : { code: exitCode(status) },
      killed: control.mustEnd,
      fileSystem,
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
