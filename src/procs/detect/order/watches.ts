/**
 * inotify: whoever reads of a change comes after it. All changes so far of what a descriptor watches
 * count, whether or not this read told of them.
 */
import { dirname } from 'node:path';
import { syscallName } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import type { Operation, Part } from '../../model/operation.ts';

const WATCHED_PARTS = new Set<Part>(['entry', 'contents', 'size', 'attributes']);

const CHANGES =
  /^(p?write(v|64|v2)?|f?truncate|(un)?link(at)?|symlink(at)?|rename(at2?)?|mk(dir|nod)(at)?|rmdir|f?chmod(at2?)?)$/;

export const addsWatch = ({ number, result }: CallRecord): boolean =>
  result >= 0 && syscallName(number) === 'inotify_add_watch';

/** Whether a call may let somebody go on who watches what it changes: such a call counts by its entry. */
export const mayTellWatchers = ({ number, created }: CallRecord): boolean =>
  created === true || CHANGES.test(syscallName(number));

export class Watches {
  /** By path, the descriptors that watch it. */
  readonly #watching = new Map<string, Set<string>>();

  note({ file, result }: CallRecord, call: string, name: string | undefined): void {
    if (call !== 'inotify_add_watch' || result < 0 || !file || name === undefined) return;
    const descriptors = this.#watching.get(name) ?? new Set();
    descriptors.add(streamOf(file));
    this.#watching.set(name, descriptors);
  }

  /** The number of an old descriptor is used again. */
  created(file: KernelFile): void {
    if (file.id === 0) return;
    for (const descriptors of this.#watching.values()) descriptors.delete(streamOf(file));
  }

  /** The streams of those who will be told of these operations. */
  toldOf(operations: readonly Operation[]): Set<string> {
    const told = new Set<string>();
    if (this.#watching.size === 0) return told;
    for (const { op, part, thing } of operations) {
      if (op !== 'store' || !WATCHED_PARTS.has(part)) continue;
      for (const path of [thing.name, dirname(thing.name)]) {
        for (const stream of this.#watching.get(path) ?? []) told.add(stream);
      }
    }
    return told;
  }
}

const streamOf = ({ id }: KernelFile): string => (id === 0 ? 'anonymous' : `anonymous ${id}`);
