/**
 * Open files, told apart over time: the kernel gives the number of one that was closed to the next.
 * What was opened before the recording began is the first under its number.
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { OpenFlag, openFlags } from './open-flags.ts';
import { hasOpened, recordedCall } from './recorded-calls.ts';

interface OpenFile {
  key: string;
  appends: boolean;
}

/** Source: <linux/fcntl.h>. */
const F_SETFL = 4;
const OPENS_BY_PATH = /^(open|openat2?|creat)$/;

export class OpenFiles {
  readonly #files = new Map<number, OpenFile>();
  #count = 0;

  /** undefined if the recorder could not tell open files apart. */
  of({ id }: KernelFile): OpenFile | undefined {
    return id === 0 ? undefined : (this.#files.get(id) ?? this.#add(id, false));
  }

  note(call: CallRecord): void {
    const { file, file2, args, result, number } = call;
    const shape = recordedCall(number);
    if (!shape || result < 0) return;
    if (file2 && hasOpened(shape, call) && !shape.duplicates) {
      const flags = OPENS_BY_PATH.test(shape.name) ? openFlags(call) : 0;
      this.#add(file2.id, (flags & OpenFlag.O_APPEND) !== 0);
    } else if (shape.pair) {
      for (const end of [file, file2]) if (end) this.#add(end.id, false);
    } else if (file && syscallName(number) === 'fcntl' && args[1] === F_SETFL) {
      const known = this.of(file);
      if (known) known.appends = ((args[2] ?? 0) & OpenFlag.O_APPEND) !== 0;
    }
  }

  #add(id: number, appends: boolean): OpenFile {
    const file = { key: `open ${++this.#count}`, appends };
    this.#files.set(id, file);
    return file;
  }
}
