/** The thread that records: see ptrace-recorder.ts for why it has to be one of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PlainError, toPlainError } from '../../base/plain-error.ts';
import { UserError } from '../../base/user-error.ts';
import type { Pid } from '../../linux/ids.ts';
import type { BuiltFileSystem } from '../../linux/sandbox/file-system.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import type { Program } from '../../linux/start-traced.ts';
import { TraceWriter } from '../../trace/writer.ts';
import { recordRunning } from './attached-recording.ts';
import type { RecorderName } from './choose-recorder.ts';
import { RecordingControl } from './control.ts';
import { recordInKernel } from './kernel-recording.ts';
import type { Observer, RecorderResult } from './observer.ts';
import { PtraceRecorder } from './ptrace-recorder.ts';

export interface WorkerTask {
  /** A program to start, or a process that runs already. */
  target: { program: Omit<Program, 'sandbox'>; sandbox?: SandboxPlan | undefined } | { pid: Pid };
  recorder: RecorderName;
  traceFile: string;
  control: SharedArrayBuffer;
}

/** Sent before the result, for a process that runs already. */
export interface Attached {
  kind: 'attached';
}

export type WorkerResult =
  | { kind: 'done'; status: number; failure?: PlainError; fileSystem?: BuiltFileSystem | undefined }
  | { kind: 'broken'; error: PlainError };

function work(task: WorkerTask): WorkerResult {
  const { target, recorder, traceFile, control: shared } = task;
  let fileSystem: BuiltFileSystem | undefined;
  const built = (result: BuiltFileSystem): void => {
    fileSystem = result;
  };
  const control = new RecordingControl(shared);
  const writer = new TraceWriter(traceFile);
  let failure: UserError | undefined;
  /** A full disk ends the recording, not the user's program: it runs on, unrecorded. */
  const unlessFailed = (write: () => void): void => {
    if (failure) return;
    try {
      write();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failure = error;
      process.stderr.write(`deadheat: ${error.message}; the program runs on, unrecorded\n`);
    }
  };
  const observer: Observer = {
    append: (record) => unlessFailed(() => writer.append(record)),
    alive: (task) => {
      control.alive = task;
    },
    mustEnd: () => control.mustEnd,
  };
  const record = (): RecorderResult => {
    if ('pid' in target) return recordRunning(target.pid, observer, attached);
    const { program, sandbox } = target;
    const placed = { ...program, ...(sandbox && { sandbox: { plan: sandbox, built } }) };
    return recorder === 'bpf'
      ? recordInKernel(placed, observer)
      : new PtraceRecorder(observer).run(placed);
  };
  const { status, droppedEvents } = record();
  const interrupted = control.interruptedBy !== undefined && 'the user ended it';
  unlessFailed(() => writer.close({ droppedEvents, ...(interrupted && { interrupted }) }));
  return { kind: 'done', status, fileSystem, ...(failure && { failure: toPlainError(failure) }) };
}

function attached(): void {
  parentPort?.postMessage({ kind: 'attached' } satisfies Attached);
}

try {
  parentPort?.postMessage(work(workerData as WorkerTask));
} catch (error) {
  parentPort?.postMessage({ kind: 'broken', error: toPlainError(error) } satisfies WorkerResult);
}
