/** The thread that makes the clones of one file: what that takes of memory is gone when it ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PlainError, toPlainError } from '../../base/plain-error.ts';
import { cannotBeRead } from '../../preload/require-preloadable.ts';
import { type MadeBlob, makeBlob } from './make-blob.ts';

export interface BlobTask {
  readonly path: string;
  readonly logs: boolean;
}

export type BlobAnswer = { readonly made: MadeBlob } | { readonly error: PlainError };

function answerTo({ path, logs }: BlobTask): BlobAnswer {
  try {
    return { made: makeBlob(path, logs) };
  } catch (error) {
    return { error: toPlainError(cannotBeRead(path, error, 'trace')) };
  }
}

parentPort?.postMessage(answerTo(workerData as BlobTask));
