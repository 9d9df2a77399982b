/**
 * A file that only ever ends after a whole piece. A write may be cut short (try again with the
 * rest) or fail halfway (take back the half piece), so that whoever reads the file finds pieces 1
 * to n or 1 to n - 1, never a torn one:
 *
 *   append(chunk 7)  →  4096 of 9000 bytes written  →  ENOSPC  →  truncate to the end of chunk 6
 *
 * Only the death of this very process, or of the machine, can leave a torn piece.
 */
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { assert } from '../base/assert.ts';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

/** As in node:fs; tests put a failing disk here. */
export type WriteSync = (
  fd: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => number;

/** Recordings hold what programs read and were told, which may be secret. */
const OWNER_ONLY = 0o600;

export class OutputFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #write: WriteSync;
  #length = 0;

  /** The file must not exist yet: a recording never takes the place of another. */
  constructor(path: string, write: WriteSync = fs.writeSync) {
    this.#path = path;
    this.#write = write;
    try {
      this.#fd = fs.openSync(encodeBytes(path), 'wx', OWNER_ONLY);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  append(piece: Uint8Array): void {
    let done = 0;
    try {
      while (done < piece.length) {
        const rest = piece.length - done;
        const written = this.#write(this.#fd, piece, done, rest, this.#length + done);
        assert(written > 0, 'write did nothing and did not say why');
        done += written;
      }
    } catch (error) {
      fs.ftruncateSync(this.#fd, this.#length);
      throw cannotWrite(this.#path, error);
    }
    this.#length += piece.length;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

function cannotWrite(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  const remedies: Record<string, string> = {
    ENOSPC: 'free some space, or record elsewhere with -o DIR',
    EDQUOT: 'your disk quota is used up: free some space, or record elsewhere with -o DIR',
    EFBIG: 'raise the limit on file sizes (ulimit -f), or record elsewhere with -o DIR',
    EEXIST: 'remove it, or record elsewhere with -o DIR',
  };
  const remedy = remedies[code] ?? 'record elsewhere with -o DIR';
  return new UserError(
    `cannot write ${path}: ${(error as Error).message}${freeSpace(path)}`,
    remedy,
    ExitStatus.unavailable,
  );
}

/** ` (12288 bytes free in /home/me/.deadheat/procs-3)`, if the file system tells. */
function freeSpace(path: string): string {
  const directory = dirname(path);
  try {
    const { bavail, bsize } = fs.statfsSync(encodeBytes(directory));
    return ` (${bavail * bsize} bytes free in ${directory})`;
  } catch {
    return '';
  }
}
