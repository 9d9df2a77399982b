/**
 * What one layer of a sandbox has changed, path by path. Whatever is not listed is as it is below,
 * unless the nearest folder above it that is listed hides that.
 *
 *   rm -r out; mkdir out; echo 1 >out/a        where out held a and b
 *   /home/me/out     there, hides what is below
 *   /home/me/out/a   there
 *   /home/me/out/b   gone
 *
 * A layer that no overlay's notes could be kept with has lists beside it: see copy-layer.ts.
 */
import { listBeside } from './copy-layer.ts';
import {
  type FileStats,
  isOpaque,
  isOurs,
  isWhiteout,
  lookingInto,
  namesIn,
  statsOf,
} from './upper-files.ts';

export interface ChangedEntry {
  /** Absent: there is nothing any more. */
  readonly stats?: FileStats;
  /** Where it is kept. */
  readonly at: string;
  /** Of a folder: what is not listed in it is not there. */
  readonly hidesBelow: boolean;
}

/** By absolute path; the folders that lead to changes are among them. */
export function changedEntries(upper: string, place: string): Map<string, ChangedEntry> {
  const walk = new Walk(upper, place === '/' ? '' : place);
  walk.folder('', false);
  walk.addListed();
  return walk.entries;
}

class Walk {
  readonly entries = new Map<string, ChangedEntry>();
  readonly #upper: string;
  readonly #top: string;
  readonly #deleted: readonly string[];
  readonly #replaced: ReadonlySet<string>;

  constructor(upper: string, top: string) {
    this.#upper = upper;
    this.#top = top;
    this.#deleted = listBeside(upper, 'deleted');
    this.#replaced = new Set(listBeside(upper, 'replaced'));
  }

  folder(below: string, isHidden: boolean): void {
    const at = this.#upper + below;
    const path = this.#top + below;
    const ours = statsOf(at);
    if (!ours) return;
    const real = folderAt(path || '/');
    const isReplaced = isHidden || isOpaque(at) || this.#replaced.has(below);
    const shown = isReplaced ? undefined : real;
    // What a plain user's layer has of somebody else's folder has rights of its own: see layers.ts.
    const stats = shown && !isOurs(shown) ? shown : ours;
    this.entries.set(path || '/', { stats, at, hidesBelow: !shown });
    lookingInto(at, () => {
      for (const name of namesIn(at)) this.#entry(`${below}/${name}`, !shown);
    });
    if (real && !shown) this.#hideRest(path);
  }

  addListed(): void {
    for (const below of this.#deleted) this.#gone(this.#top + below);
  }

  #entry(below: string, isHidden: boolean): void {
    const at = this.#upper + below;
    const stats = statsOf(at);
    if (!stats) return;
    if (stats.isDirectory()) this.folder(below, isHidden);
    else if (isWhiteout(stats)) this.#gone(this.#top + below);
    else this.entries.set(this.#top + below, { stats, at, hidesBelow: true });
  }

  #hideRest(path: string): void {
    for (const name of namesIfReadable(path)) {
      if (!this.entries.has(`${path}/${name}`)) this.#gone(`${path}/${name}`);
    }
  }

  #gone(path: string): void {
    this.entries.set(path, { at: '', hidesBelow: true });
  }
}

function folderAt(path: string): FileStats | undefined {
  const stats = statsOf(path);
  return stats?.isDirectory() ? stats : undefined;
}

function namesIfReadable(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}
