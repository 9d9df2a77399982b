/** Runs a program under the recorder and says how both of them ended. */
import { Worker } from 'node:worker_threads';
import { InternalError } from '../../base/assert.ts';
import { builtFile } from '../../base/built-file.ts';
import { fromPlainError } from '../../base/plain-error.ts';
import { awaiting } from '../../base/resting.ts';
import type { UserError } from '../../base/user-error.ts';
import { ChildWatch } from '../../linux/child-watch.ts';
import type { Pid } from '../../linux/ids.ts';
import { Interruption } from '../../linux/interruption.ts';
import type { BuiltFileSystem } from '../../linux/sandbox/file-system.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import type { Program } from '../../linux/start-traced.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { RecorderName } from './choose-recorder.ts';
import { endRecordingOnSignal, RecordingControl } from './control.ts';
import {
  type ProgramTask,
  recordProgramTask,
  recordTask,
  type TaskResult,
} from './recording-task.ts';
import type { WorkerAnswer } from './worker.ts';

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
    const task = { program, sandbox, traceFile, control: control.shared };
    const result = await (recorder === 'bpf' ? beside(task) : inThread(task));
    const status = parseWaitStatus(result.status);
    const { failure, fileSystem } = result;
    return {
      exit: status.kind === 'killed' ? { signal: status.signal } : { code: exitCode(status) },
      killed: control.mustEnd,
      timeIsUp: interruption.timeIsUp,
      fileSystem,
      ...(control.interruptedBy !== undefined && { interruptedBy: control.interruptedBy }),
      ...(failure && { failure }),
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
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    if (afterMs !== undefined) timer = setTimeout(() => control.demandEnd(), afterMs);
    attached();
  };
  try {
    const { recordRunning } = await import('./attached-recording.ts');
    const task = { traceFile, control: control.shared };
    const { failure } = await awaiting(
      recordTask(task, (observer) => recordRunning(pid, observer, begin)),
    );
    return failure ? { failure } : {};
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/** In this thread, beside its timers and signals. */
async function beside(task: ProgramTask): Promise<TaskResult> {
  const { recordInKernel } = await import('./kernel-recording.ts');
  const watch = new ChildWatch();
  try {
    return await awaiting(recordProgramTask(task, recordInKernel), (ms) => watch.rest(ms));
  } finally {
    watch.close();
  }
}

async function inThread(task: ProgramTask): Promise<TaskResult> {
  const options = { workerData: task, trackUnmanagedFds: false };
  const answer = await answerOf(new Worker(builtFile('workers/record.js'), options));
  if (answer.kind === 'broken') throw fromPlainError(answer.error);
  const { result, failure } = answer;
  return failure ? { ...result, failure: fromPlainError(failure) as UserError } : result;
}

const exitCode = (status: ReturnType<typeof parseWaitStatus>): number =>
  status.kind === 'exited' ? status.code : 0;

function answerOf(worker: Worker): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(new InternalError('the recording thread ended without a word')),
    );
  });
}
