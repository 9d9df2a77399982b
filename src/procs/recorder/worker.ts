/** The thread of the ptrace recorder, which blocks: ptrace-recorder.ts says why it must be its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PlainError, toPlainError } from '../../base/plain-error.ts';
import { blocking } from '../../base/resting.ts';
import { PtraceRecorder } from './ptrace-recorder.ts';
import { type ProgramTask, recordProgramTask, type TaskResult } from './recording-task.ts';

export type WorkerAnswer =
  | { kind: 'done'; result: Omit<TaskResult, 'failure'>; failure?: PlainError | undefined }
  | { kind: 'broken'; error: PlainError };

function work(task: ProgramTask): WorkerAnswer {
  const { failure, ...result } = blocking(
    // biome-ignore lint/correctness/useYield: it never rests, it blocks.
    recordProgramTask(task, function* (program, observer) {
      return new PtraceRecorder(observer).run(program);
    }),
  );
  return { kind: 'done', result, ...(failure && { failure: toPlainError(failure) }) };
}

try {
  parentPort?.postMessage(work(workerData as ProgramTask));
} catch (error) {
  parentPort?.postMessage({ kind: 'broken', error: toPlainError(error) } satisfies WorkerAnswer);
}
