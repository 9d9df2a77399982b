/**
 * The standard input that a program was started with, if what is read from it is gone afterwards:
 * a pipe, a terminal or a socket. Whoever wants to run the program once more needs those bytes.
 * They are kept in pieces, up to a limit; what is beyond it, or went where it cannot be seen, makes
 * a note.
 */
import { type Stats, statSync } from 'node:fs';
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';

export const FOREIGN_CALLS_NOTE = '32-bit system calls were not recorded';
export const INPUT_NOTE = 'the input of the program was not recorded in full';

/** The same for both recorders, so that their records are the same. */
export const INPUT_PIECE = 4096;
/** Of one read: so many pieces, and entries of a list of buffers. */
export const MOST_STEPS = 32;
/** Of all reads: the writer of a recording keeps all texts in memory. */
const MOST_BYTES = 16 << 20;

const S_IFMT = 0o170000;
const S_IFIFO = 0o010000;
const S_IFCHR = 0o020000;
const S_IFSOCK = 0o140000;
/** Consoles and serial lines, /dev/tty, and both ends of pseudo-terminals: admin-guide/devices.rst. */
const TERMINAL_MAJORS = new Set([4, 5, ...Array.from({ length: 16 }, (_, index) => 128 + index)]);

export class ProgramInput {
  readonly device: number;
  readonly inode: number;
  #bytes = 0;
  #hasNoted = false;

  /** undefined if the task's descriptor 0 is none of those. */
  static of(task: Tid): ProgramInput | undefined {
    const found = tryTo(() => statSync(`/proc/${task}/fd/0`));
    return found.ok && isStream(found.value) ? new ProgramInput(found.value) : undefined;
  }

  private constructor({ dev, ino }: Stats) {
    this.device = dev;
    this.inode = ino;
  }

  is(file: Pick<KernelFile, 'device' | 'inode'> | undefined): boolean {
    return file?.inode === this.inode && file.device === this.device;
  }

  /** Whether there is still room for a piece; the one that is too many is to be noted instead. */
  take(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MOST_BYTES;
  }

  /** True the first time only. */
  mustNote(): boolean {
    const isFirst = !this.#hasNoted;
    this.#hasNoted = true;
    return isFirst;
  }
}

function isStream({ mode, rdev }: Stats): boolean {
  const type = mode & S_IFMT;
  if (type === S_IFIFO || type === S_IFSOCK) return true;
  return type === S_IFCHR && TERMINAL_MAJORS.has(majorOf(rdev));
}

/** Source: <linux/kdev_t.h>. */
const majorOf = (device: number): number => (device >>> 8) & 0xfff;
