/**
 * A file to read pieces of, with its size known beforehand: a length found inside the file can be
 * compared with what is really there before memory is set aside for it. If the file grows while
 * it is read, the growth is not seen; if it shrinks, that is damage.
 */
import * as fs from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { intact } from './damage.ts';

export class InputFile {
  readonly path: string;
  readonly size: number;
  readonly #fd: number;
  #buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.path = path;
    this.#fd = open(path);
    const stats = fs.fstatSync(this.#fd);
    this.size = stats.size;
    if (!stats.isFile()) {
      this.close();
      const what = stats.isDirectory() ? 'a directory' : 'no regular file';
      throw refuse(path, `is ${what}, not a recording`, 'record again');
    }
  }

  /** Valid until the next call, which may use the same memory. */
  read(offset: number, length: number): Buffer {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const got = this.#readSome(done, length - done, offset + done);
      intact(got > 0, 'cut short');
      done += got;
    }
    return this.#buffer.subarray(0, length);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #readSome(at: number, length: number, position: number): number {
    try {
      return fs.readSync(this.#fd, this.#buffer, at, length, position);
    } catch (error) {
      throw cannotRead(this.path, error);
    }
  }
}

/** The file is what it is, but not what we need. */
export function refuse(path: string, why: string, remedy: string): UserError {
  return new UserError(`${path} ${why}`, remedy);
}

function open(path: string): number {
  try {
    // Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
    return fs.openSync(encodeBytes(path), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function cannotRead(path: string, error: unknown): UserError {
  return refuse(
    path,
    `cannot be read: ${(error as Error).message}`,
    'deadheat ls shows which runs there are',
  );
}
