/**
 * The devices that make up bytes. What is read from them is recorded, so that a replay can give the
 * same; of one read only so much, since whoever wants more fills a disk with it.
 */
import { statSync } from 'node:fs';
import type { KernelFile } from '../../trace/records/kernel-file.ts';

export const RANDOM_DEVICES: readonly string[] = ['/dev/random', '/dev/urandom'];
/** Of one read, and of all of them. */
export const LONGEST_RANDOM = 4 * 4096;
const MOST_RANDOM = 4 << 20;

export class RandomDevices {
  readonly #files = RANDOM_DEVICES.flatMap(
    (path) => statSync(path, { throwIfNoEntry: false }) ?? [],
  );
  #bytes = 0;

  /** At most two. */
  get inodes(): readonly number[] {
    return this.#files.map(({ ino }) => ino);
  }

  has(file: Pick<KernelFile, 'device' | 'inode'> | undefined): boolean {
    return this.#files.some(({ dev, ino }) => file?.inode === ino && file.device === dev);
  }

  /** Whether there is still room for a piece. */
  take(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= MOST_RANDOM;
  }
}
