/**
 * Makes the changes of a sandbox real. Each file takes its place in one step. Whatever somebody
 * else has changed since the recording began is left alone: our version then stays in the run
 * directory, and the caller is told. "Changed" goes by the time of the last change of a file's
 * contents or properties (ctime), which programs cannot set. An upper folder without notes of what
 * was deleted has lists of that beside it: see copy-layer.ts.
 *
 * Limits: a file that had several names before is changed under those names that were used; the
 * others keep the old contents. A file that somebody else has deleted comes back if the program
 * changed it: nobody can tell it from a new one.
 */
import { mkdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { copyProperties, FileMover } from './copy-file.ts';
import { listBeside } from './copy-layer.ts';
import {
  closeAgain,
  type FileStats,
  isOpaque,
  isOurs,
  isWhiteout,
  namesIn,
  openUp,
  removeOverlayNotes,
  statsOf,
} from './upper-files.ts';

export interface NotCommitted {
  path: string;
  reason: string;
}

/** `since`: when the recording began, in nanoseconds of the real clock. */
export function commitLayer(upper: string, place: string, since: bigint): NotCommitted[] {
  const top = place === '/' ? '' : place;
  const committer = new Committer(
    since,
    listBeside(upper, 'replaced').map((path) => upper + path),
  );
  const stats = statsOf(upper);
  if (stats) openUp(upper, stats);
  committer.folder(upper, top);
  committer.remove(listBeside(upper, 'deleted').map((path) => top + path));
  return committer.notCommitted;
}

const CHANGED = 'somebody else has changed it meanwhile';

class Committer {
  readonly notCommitted: NotCommitted[] = [];
  readonly #since: bigint;
  readonly #mover = new FileMover();
  /** Files with several names of which we took one away: that changes them too. */
  readonly #touched = new Set<string>();

  /** Folders of which nothing old shows through, beside those that have a note of it. */
  readonly #replaced: readonly string[];

  constructor(since: bigint, replaced: readonly string[]) {
    this.#since = since;
    this.#replaced = replaced;
  }

  folder(upper: string, real: string): void {
    for (const name of namesIn(upper)) {
      const path = `${real}/${name}`;
      this.#trying(path, () => this.#entry(`${upper}/${name}`, path));
    }
  }

  remove(paths: readonly string[]): void {
    for (const path of paths) {
      this.#trying(path, () => {
        const there = statsOf(path);
        if (there) this.#remove(path, there);
      });
    }
  }

  #trying(path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.notCommitted.push({ path, reason: (error as Error).message });
    }
  }

  #entry(ours: string, real: string): void {
    const stats = statsOf(ours);
    if (!stats) return;
    const there = statsOf(real);
    if (isWhiteout(stats)) {
      if (!there || this.#remove(real, there)) unlinkSync(encodeBytes(ours));
    } else if (stats.isDirectory()) this.#directory(ours, stats, real, there);
    else if (!there || this.#makeRoom(real, there)) {
      removeOverlayNotes(ours);
      this.#mover.move(ours, stats, real);
      if (statsOf(ours)) unlinkSync(encodeBytes(ours));
    }
  }

  #directory(ours: string, stats: FileStats, real: string, there: FileStats | undefined): void {
    const before = there?.isDirectory() ? there : undefined;
    if (there && !before && !this.#remove(real, there)) return;
    if (!before) mkdirSync(encodeBytes(real), 0o700);
    openUp(ours, stats);
    if (before) openUp(real, before);
    const isReplaced = isOpaque(ours) || this.#replaced.includes(ours);
    if (before && isReplaced) this.#empty(real, new Set(namesIn(ours)));
    this.folder(ours, real);
    if (!before) copyProperties(ours, stats, real);
    else if (isOurs(before)) this.#properties(ours, stats, real, before);
    if (namesIn(ours).length === 0) rmdirSync(encodeBytes(ours));
  }

  #properties(ours: string, stats: FileStats, real: string, before: FileStats): void {
    if (!this.#hasChanged(before)) return copyProperties(ours, stats, real);
    closeAgain(real, before);
    if (before.mode !== stats.mode || before.uid !== stats.uid || before.gid !== stats.gid) {
      this.notCommitted.push({ path: real, reason: CHANGED });
    }
  }

  /** Takes away what is in the folder, but for what will be replaced one by one. */
  #empty(real: string, except: ReadonlySet<string>): void {
    for (const name of namesIn(real)) {
      const there = except.has(name) ? undefined : statsOf(`${real}/${name}`);
      if (there) this.#remove(`${real}/${name}`, there);
    }
  }

  /** A file can be replaced in one step; a folder must go first. */
  #makeRoom(real: string, there: FileStats): boolean {
    if (there.isDirectory()) return this.#remove(real, there);
    return this.#mayTouch(real, there);
  }

  /** Whether it is gone. */
  #remove(real: string, there: FileStats): boolean {
    if (!there.isDirectory()) {
      if (!this.#mayTouch(real, there)) return false;
      unlinkSync(encodeBytes(real));
      return true;
    }
    openUp(real, there);
    const left = namesIn(real).filter((name) => {
      const stats = statsOf(`${real}/${name}`);
      return stats && !this.#remove(`${real}/${name}`, stats);
    });
    if (left.length > 0) {
      closeAgain(real, there);
      return false;
    }
    rmdirSync(encodeBytes(real));
    return true;
  }

  #mayTouch(real: string, there: FileStats): boolean {
    if (this.#hasChanged(there)) {
      this.notCommitted.push({ path: real, reason: CHANGED });
      return false;
    }
    if (there.nlink > 1n) this.#touched.add(key(there));
    return true;
  }

  #hasChanged(stats: FileStats): boolean {
    return stats.ctimeNs > this.#since && !this.#touched.has(key(stats));
  }
}

const key = ({ dev, ino }: FileStats): string => `${dev}:${ino}`;
