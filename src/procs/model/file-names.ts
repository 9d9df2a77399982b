/**
 * Gives files their names. A recording has paths as programs passed them, and files as the kernel
 * numbers them; put together in the order of events, they name everything that was opened in it:
 *
 *   14: chdir("src")                            14 is in /home/me/src from now on
 *   14: openat(AT_FDCWD, "log") = 3 <1311>      inode 1311 is /home/me/src/log
 *   15: write(3 <1311>, …)                      so this writes /home/me/src/log
 *
 * Symbolic links are not followed, and a file with two names has the one by which it was opened
 * last. What was opened before the recording began is called after its number.
 */
import { join } from 'node:path';
import type { Pid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { typeOf } from './file-type.ts';
import { type RecordedCall, recordedCall } from './recorded-calls.ts';

/** Source: <linux/fcntl.h>. */
const AT_FDCWD = -100;

interface Place {
  root: string;
  folder: string;
}

export interface CallNames {
  /** Of the open file that the call is about, or of what its path leads to. */
  name?: string | undefined;
  name2?: string | undefined;
}

export class FileNames {
  readonly #names = new Map<string, string>();
  readonly #places = new Map<Pid, Place>();
  readonly #start: Place;
  readonly #before = new Map<number, string>();

  /** `folders`: of processes that were there before, by number; the others start in `folder`. */
  constructor(folder: string, folders: Readonly<Record<string, string>> = {}) {
    this.#start = { root: '/', folder };
    for (const [pid, folder] of Object.entries(folders)) this.#before.set(Number(pid), folder);
  }

  forked(parent: Pid | undefined, child: Pid): void {
    const folder = this.#before.get(child);
    // Its number may be given to another later.
    this.#before.delete(child);
    if (folder !== undefined) {
      this.#places.set(child, { root: '/', folder });
      return;
    }
    this.#places.set(child, parent === undefined ? this.#start : this.#placeOf(parent));
  }

  /** The names in a call; remembers what the call says about others. */
  of(call: CallRecord, process: Pid): CallNames {
    const shape = recordedCall(call.number);
    if (!shape) return {};
    const { path, path2, file, file2 } = call;
    const [first, second] = shape.paths.map(({ directory }) =>
      directory === undefined ? AT_FDCWD : (call.args[directory] ?? AT_FDCWD) | 0,
    );
    const name =
      path === undefined
        ? shape.file !== undefined && file && this.#nameOf(file)
        : this.#resolve(process, path, file, first);
    const name2 = path2 === undefined ? undefined : this.#resolve(process, path2, file2, second);
    if (!name) return { name2 };
    if (call.result >= 0) this.#learn(shape, process, name, file2);
    return { name, name2 };
  }

  #learn(
    { name: call, opens }: RecordedCall,
    process: Pid,
    name: string,
    opened: KernelFile | undefined,
  ): void {
    const place = this.#placeOf(process);
    if (opens && opened) this.#names.set(key(opened), name);
    else if (call === 'chdir' || call === 'fchdir') {
      this.#places.set(process, { ...place, folder: name });
    } else if (call === 'chroot') this.#places.set(process, { ...place, root: name });
  }

  #resolve(process: Pid, path: string, folder: KernelFile | undefined, fd = AT_FDCWD): string {
    const place = this.#placeOf(process);
    if (path.startsWith('/')) return join(place.root, path);
    const start = fd === AT_FDCWD ? place.folder : folder ? this.#nameOf(folder) : '?';
    return join(start, path);
  }

  #nameOf(file: KernelFile): string {
    const type = typeOf(file);
    // All of these have one inode between them.
    if (type === 'anonymous') return 'anonymous';
    return this.#names.get(key(file)) ?? `${type}:[${key(file)}]`;
  }

  #placeOf(process: Pid): Place {
    return this.#places.get(process) ?? this.#start;
  }
}

const key = ({ device, inode }: KernelFile): string => `${device}:${inode}`;
