/** Runs a program under the recorder and says how both of them ended. */
import { Worker } from 'node:worker_threads';
import { InternalError } from '../../base/assert.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { fromPlainError } from '../../base/plain-error.ts';
import { UserError } from '../../base/user-error.ts';
import { resolveExecutable } from '../../linux/executable.ts';
import type { Pid } from '../../linux/ids.ts';
import { ownEnvironment, ownInheritance } from '../../linux/own-inheritance.ts';
import { ownTracer } from '../../linux/own-process.ts';
import type { BuiltFileSystem } from '../../linux/sandbox/file-system.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import type { Program } from '../../linux/start-traced.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { RecorderName } from './choose-recorder.ts';
import { RecordingControl } from './control.ts';
import { endRecordingOnSignal, Interruption } from './interruption.ts';
import type { Attached, WorkerResult, WorkerTask } from './worker.ts';

export interface Recording {
  /** How the program itself ended. */
  exit: { code: number } | { signal: number };
  /** The signal by which the user asked for the end. */
  interruptedBy?: number;
  /** The program did not heed it, and was killed. */
  killed: boolean;
  /** It was ended because it was to run for a certain time only. */
  timeIsUp: boolean;
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
  /** When to end it, as Ctrl-C would. */
  afterMs?: number | undefined;
}

export async function recordProgram(
  program: Program,
  { recorder, traceFile, sandbox, afterMs }: RecordingPlan,
): Promise<Recording> {
  const control = new RecordingControl();
  const interruption = new Interruption(control, program.inheritance.ignoredSignals, afterMs);
  try {
    const target = { program, sandbox };
    const result = await run({ target, recorder, traceFile, control: control.shared });
    const status = parseWaitStatus(result.status);
    const { failure, fileSystem } = result;
    return {
      exit: status.kind === 'killed' ? { signal: status.signal } : { code: exitCode(status) },
      killed: control.mustEnd,
      timeIsUp: interruption.timeIsUp,
      fileSystem,
      ...(control.interruptedBy !== undefined && { interruptedBy: control.interruptedBy }),
      ...(failure && { failure: fromPlainError(failure) }),
    };
  } finally {
    interruption.stopListening();
  }
}

/** Until the processes have ended, the time is up, or the user ends the recording, and only that. */
export async function recordRunningProcess(
  pid: Pid,
  traceFile: string,
  afterMs: number | undefined,
  attached: () => void,
): Promise<Pick<Recording, 'failure'>> {
  const control = new RecordingControl();
  const stopListening = endRecordingOnSignal(control);
  const target = { pid };
  let timer: NodeJS.Timeout | undefined;
  try {
    const task: WorkerTask = { target, recorder: 'bpf', traceFile, control: control.shared };
    const { failure } = await run(task, () => {
      if (afterMs !== undefined) timer = setTimeout(() => control.demandEnd(), afterMs);
      attached();
    });
    return failure ? { failure: fromPlainError(failure) } : {};
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

async function run(
  task: WorkerTask,
  attached?: () => void,
): Promise<WorkerResult & { kind: 'done' }> {
  const options = { workerData: task, trackUnmanagedFds: false };
  const worker = new Worker(new URL('./worker.js', import.meta.url), options);
  const result = await resultOf(worker, attached);
  if (result.kind === 'broken') throw fromPlainError(result.error);
  return result;
}

const exitCode = (status: ReturnType<typeof parseWaitStatus>): number =>
  status.kind === 'exited' ? status.code : 0;

function resultOf(worker: Worker, attached = () => {}): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: WorkerResult | Attached) => {
      if (message.kind === 'attached') attached();
      else resolve(message);
    });
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(new InternalError('the recording thread ended without a word')),
    );
  });
}
