/**
 * One recording from its start to its end: what a recorder tells goes to a file. The recorder in the
 * kernel leaves time for other things and runs in the main thread; the one with ptrace blocks its
 * thread, and so gets one of its own (worker.ts).
 */
import type { Resting } from '../../base/resting.ts';
import { UserError } from '../../base/user-error.ts';
import type { BuiltFileSystem } from '../../linux/sandbox/file-system.ts';
import type { SandboxPlan } from '../../linux/sandbox/sandbox.ts';
import type { Program } from '../../linux/start-traced.ts';
import { TraceWriter } from '../../trace/writer.ts';
import { RecordingControl } from './control.ts';
import type { Observer, RecorderResult } from './observer.ts';

export interface RecordingTask {
  traceFile: string;
  control: SharedArrayBuffer;
}

export interface ProgramTask extends RecordingTask {
  program: Omit<Program, 'sandbox'>;
  /** Absent: the program runs in place. */
  sandbox?: SandboxPlan | undefined;
}

export interface TaskResult {
  status: number;
  /** Why the recording is incomplete. */
  failure?: UserError | undefined;
  /** What became of the sandbox, if there was one. */
  fileSystem?: BuiltFileSystem | undefined;
}

export function* recordTask(
  { traceFile, control: shared }: RecordingTask,
  record: (observer: Observer) => Resting<RecorderResult>,
): Resting<TaskResult> {
  const control = new RecordingControl(shared);
  const writer = new TraceWriter(traceFile);
  let failure: UserError | undefined;
  /** A full disk ends the recording, not the user's program: it runs on, unrecorded. */
  const unlessFailed =
    <T>(write: (what: T) => void) =>
    (what: T): void => {
      if (failure) return;
      try {
        write(what);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        failure = error;
        process.stderr.write(`deadheat: ${error.message}; the program runs on, unrecorded\n`);
      }
    };
  const { status, droppedEvents } = yield* record({
    append: unlessFailed((record) => writer.append(record)),
    appendCall: unlessFailed((row) => writer.appendCall(row)),
    alive: (task) => {
      control.alive = task;
    },
    mustEnd: () => control.mustEnd,
  });
  const interrupted = control.interruptedBy !== undefined && 'the user ended it';
  const close = unlessFailed((totals: Parameters<TraceWriter['close']>[0]) => writer.close(totals));
  close({ droppedEvents, ...(interrupted && { interrupted }) });
  return { status, failure };
}

export function* recordProgramTask(
  task: ProgramTask,
  record: (program: Program, observer: Observer) => Resting<RecorderResult>,
): Resting<TaskResult> {
  const { program, sandbox } = task;
  let fileSystem: BuiltFileSystem | undefined;
  const built = (result: BuiltFileSystem): void => {
    fileSystem = result;
  };
  const placed = { ...program, ...(sandbox && { sandbox: { plan: sandbox, built } }) };
  const result = yield* recordTask(task, (observer) => record(placed, observer));
  return { ...result, fileSystem };
}
