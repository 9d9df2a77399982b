/**
 * The clones of all images that are to be traced: from the cache, or made now, in a thread, so that what that
 * takes of memory is gone when the program starts, and somebody can say what takes so long.
 */
import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../../base/built-file.ts';
import { printable } from '../../base/bytes.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { fromPlainError } from '../../base/plain-error.ts';
import { UserError } from '../../base/user-error.ts';
import type { ImageFile } from '../../preload/image-file.ts';
import { BlobCache, type Clones } from './blob-cache.ts';
import type { BlobAnswer, BlobTask } from './blob-worker.ts';
import type { MadeBlob } from './make-blob.ts';

export interface PreparedImage {
  readonly image: ImageFile;
  readonly clones: Clones;
}

export interface PrepareOptions {
  /** Without it, clones do what their originals do, and nothing else. */
  readonly logs: boolean;
  /** Is called if it takes longer. */
  readonly waitFor?: ((image: ImageFile) => void) | undefined;
}

const MAKER = builtFile('workers/clone.js');
const WAITED_LONG_MS = 2000;
const SHARE_OF_MEMORY = 0.75;

/** One after the other: each may take much memory. */
export async function prepareBlobs(
  images: readonly ImageFile[],
  { logs, waitFor }: PrepareOptions,
): Promise<PreparedImage[]> {
  const cache = new BlobCache(MAKER, logs);
  const prepared = new Map<string, PreparedImage>();
  for (const image of images) {
    if (prepared.has(image.key)) continue;
    const cached = cache.find(image);
    const clones = cached ?? cache.keep(image, await makeInTime(image, logs, waitFor));
    prepared.set(image.key, { image, clones });
  }
  return [...prepared.values()];
}

async function makeInTime(
  image: ImageFile,
  logs: boolean,
  waitFor: PrepareOptions['waitFor'],
): Promise<MadeBlob> {
  const timer = setTimeout(() => waitFor?.(image), WAITED_LONG_MS);
  try {
    return await inThread({ path: image.path, logs });
  } finally {
    clearTimeout(timer);
  }
}

function inThread(task: BlobTask): Promise<MadeBlob> {
  const megabytes = Math.floor((totalmem() / 2 ** 20) * SHARE_OF_MEMORY);
  return new Promise((resolve, reject) => {
    const worker = new Worker(MAKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    worker.once('error', (error) => reject(explained(error, task, megabytes)));
    worker.once('message', (answer: BlobAnswer) => {
      if ('made' in answer) resolve(answer.made);
      else reject(fromPlainError(answer.error));
    });
  });
}

function explained(error: Error, { path }: BlobTask, megabytes: number): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new UserError(
    `cannot trace '${printable(path)}': ${megabytes} MB of memory do not suffice to copy its functions`,
    'trace it on a larger machine',
    ExitStatus.unavailable,
  );
}
