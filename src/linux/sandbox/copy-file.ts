/**
 * Moves or copies a file of any kind with everything that belongs to it: owner, mode, times and
 * extended attributes. The new file takes its name in one step; nobody sees half of it.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  linkSync,
  lutimesSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import {
  attribute,
  attributeNames,
  removeAttribute,
  setAttribute,
} from '../extended-attributes.ts';
import { makeSpecialFile } from '../special-file.ts';
import { type FileStats, isOverlayNote, statsOf } from './upper-files.ts';

export class FileMover {
  /** Files with several names that were copied: where the first one is. */
  readonly #copied = new Map<bigint, string>();
  #count = 0;

  /** `to` is no folder. Within one file system this moves; `from` may be left over otherwise. */
  move(from: string, stats: FileStats, to: string): void {
    try {
      renameSync(encodeBytes(from), encodeBytes(to));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      this.copy(from, stats, to);
    }
  }

  copy(from: string, stats: FileStats, to: string): void {
    const fresh = `${folderOf(to)}.deadheat-${process.pid}-${this.#count++}`;
    try {
      const twin = stats.nlink > 1n ? this.#copied.get(stats.ino) : undefined;
      if (twin !== undefined) linkSync(encodeBytes(twin), encodeBytes(fresh));
      else makeCopy(from, stats, fresh);
      renameSync(encodeBytes(fresh), encodeBytes(to));
      // Renaming a file to another name of itself does nothing.
      if (twin !== undefined) unlinkIfThere(fresh);
      this.#copied.set(stats.ino, to);
    } catch (error) {
      unlinkIfThere(fresh);
      throw error;
    }
  }
}

/** Owner, mode, attributes and, unless it has changed otherwise, times. */
export function copyProperties(from: string, stats: FileStats, to: string, times = true): void {
  const path = encodeBytes(to);
  lchownSync(path, Number(stats.uid), Number(stats.gid));
  if (!stats.isSymbolicLink()) chmodSync(path, Number(stats.mode & 0o7777n));
  const [names, before] = [from, to].map((file) =>
    attributeNames(file).filter((name) => !isOverlayNote(name)),
  ) as [string[], string[]];
  for (const name of before) if (!names.includes(name)) removeAttribute(to, name);
  for (const name of names) {
    const value = attribute(from, name);
    if (value && !attribute(to, name)?.equals(value)) setAttribute(to, name, value);
  }
  if (times) lutimesSync(path, Number(stats.atimeMs) / 1000, seconds(stats.mtimeNs));
}

const seconds = (nanoseconds: bigint): number => Number(nanoseconds / 1000n) / 1e6;

function makeCopy(from: string, stats: FileStats, to: string): void {
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(encodeBytes(from), { encoding: 'buffer' }), encodeBytes(to));
  } else if (stats.isFile()) {
    copyFileSync(
      encodeBytes(from),
      encodeBytes(to),
      constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
    );
  } else makeSpecialFile(to, Number(stats.mode), stats.rdev);
  copyProperties(from, stats, to);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

function unlinkIfThere(path: string): void {
  if (statsOf(path)) unlinkSync(encodeBytes(path));
}
