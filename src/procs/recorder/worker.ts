/** The thread that records: see ptrace-recorder.ts for why it has to be one of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PlainError, toPlainError } from '../../base/plain-error.ts';
import { UserError } from '../../base/user-error.ts';
import type { BuiltFileSystem } from '../../linux/sandbox/file-system.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import type { Program } from '../../linux/start-traced.ts';
import { TraceWriter } from '../../trace/writer.ts';
import type { RecorderName } from './choose-recorder.ts';
import { RecordingControl } from './control.ts';
import { recordInKernel } from './kernel-recording.ts';
import type { Observer } from './observer.ts';
import { PtraceRecorder } from './ptrace-recorder.ts';

export interface WorkerTask {
  program: Omit<Program, 'sandbox'>;
  sandbox?: SandboxPlan | undefined;
  recorder: RecorderName;
  traceFile: string;
  control: SharedArrayBuffer;
}

export type WorkerResult =
  | { kind: 'done'; status: number; failure?: PlainError; fileSystem?: BuiltFileSystem | undefined }
  | { kind: 'broken'; error: PlainError };

function work(task: WorkerTask): WorkerResult {
  const { recorder, traceFile, control: shared, sandbox } = task;
  let fileSystem: BuiltFileSystem | undefined;
  const built = (result: BuiltFileSystem): void => {
    fileSystem = result;
  };
  const program = { ...task.program, ...(sandbox && { sandbox: { plan: sandbox, built } }) };
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
  const { status, droppedEvents } =
    recorder === 'bpf'
      ? recordInKernel(program, observer)
      : new PtraceRecorder(observer).run(program);
  const interrupted = control.interruptedBy !== undefined && 'the user ended it';
  unlessFailed(() => writer.close({ droppedEvents, ...(interrupted && { interrupted }) }));
  return { kind: 'done', status, fileSystem, ...(failure && { failure: toPlainError(failure) }) };
}

try {
  parentPort?.postMessage(work(workerData as WorkerTask));
} catch (error) {
  parentPort?.postMessage({ kind: 'broken', error: toPlainError(error) } satisfies WorkerResult);
}
