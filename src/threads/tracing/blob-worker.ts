/** The thread that makes the clones of one file: what that takes of memory is gone when it ends. */
import { answer } from '../../base/in-thread.ts';
import { cannotBeRead } from '../../preload/require-preloadable.ts';
import { makeBlob } from './make-blob.ts';

export interface BlobTask {
  readonly path: string;
  readonly logs: boolean;
}

answer(({ path, logs }: BlobTask) => {
  try {
    return makeBlob(path, logs);
  } catch (error) {
    throw cannotBeRead(path, error, 'trace');
  }
});
