/**
 * The clones of all images that are to be traced: from the cache, or made now, in a thread, so that what that
 * takes of memory is gone when the program starts, and how far it has come can be told meanwhile.
 */
import { totalmem } from 'node:os';
import { builtFile } from '../../base/built-file.ts';
import { printable } from '../../base/bytes.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { inThread } from '../../base/in-thread.ts';
import { UserError } from '../../base/user-error.ts';
import type { ImageFile } from '../../preload/image-file.ts';
import { BlobCache, type Clones } from './blob-cache.ts';
import type { BlobTask } from './blob-worker.ts';
import type { MadeBlob } from './make-blob.ts';

export interface PreparedImage {
  readonly image: ImageFile;
  readonly clones: Clones;
}

export interface PrepareOptions {
  /** Without it, clones do what their originals do, and nothing else. */
  readonly logs: boolean;
}

const MAKER = 'workers/clone.js';
const SHARE_OF_MEMORY = 0.75;

/** One after the other: each may take much memory. */
export async function prepareBlobs(
  images: readonly ImageFile[],
  { logs }: PrepareOptions,
): Promise<PreparedImage[]> {
  const cache = new BlobCache(builtFile(MAKER), logs);
  const prepared = new Map<string, PreparedImage>();
  for (const image of images) {
    if (prepared.has(image.key)) continue;
    const cached = cache.find(image);
    const clones = cached ?? cache.keep(image, await makeInThread(image.path, logs));
    prepared.set(image.key, { image, clones });
  }
  return [...prepared.values()];
}

function makeInThread(path: string, logs: boolean): Promise<MadeBlob> {
  const task: BlobTask = { path, logs };
  const megabytes = Math.floor((totalmem() / 2 ** 20) * SHARE_OF_MEMORY);
  const tooLittle = (): UserError =>
    new UserError(
      `cannot trace '${printable(path)}': ${megabytes} MB of memory do not suffice to copy its functions`,
      'trace it on a larger machine',
      ExitStatus.unavailable,
    );
  return inThread(MAKER, task, { megabytes, tooLittle });
}
