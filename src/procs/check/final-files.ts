/**
 * The files as a run has left them: what its layers hold, and the real files where they hold
 * nothing. Two runs are compared at the paths that one of them has changed:
 *
 *   recorded   out: '2\n'   log: 'a\nb\n'
 *   branch     out: '1\n'   log: 'a\nb\n'      differingPaths: /home/me/out
 *
 * A folder that is gone in one run is listed itself, not each file that was in it.
 */
import { type ChangedEntry, changedEntries } from '../../linux/sandbox/changed-entries.ts';
import { statsOf } from '../../linux/sandbox/upper-files.ts';
import { ABSENT, type FileState, sameState, stateFrom } from './file-state.ts';
import type { ChangedLayer, RunOutcome } from './outcome.ts';

/** Paths that do not count; a set will do. */
export interface LeftOut {
  has(path: string): boolean;
}

const NOTHING: LeftOut = { has: () => false };

interface Kept extends ChangedEntry {
  readonly upper: string;
}

export class FinalFiles {
  readonly #entries = new Map<string, Kept>();
  readonly #states = new Map<string, FileState>();

  constructor(layers: readonly ChangedLayer[]) {
    for (const { place, upper } of layers) {
      for (const [path, entry] of changedEntries(upper, place)) {
        this.#entries.set(path, { ...entry, upper });
      }
    }
  }

  /** Of what was changed, made or taken away, and of the folders that lead there. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }

  stateOf(path: string): FileState {
    const known = this.#states.get(path);
    if (known) return known;
    const state = this.#look(path);
    this.#states.set(path, state);
    return state;
  }

  #look(path: string): FileState {
    const entry = this.#entries.get(path);
    if (entry) return entry.stats ? stateFrom(entry.stats, entry.at, entry.upper) : ABSENT;
    if (this.#isHidden(path)) return ABSENT;
    const stats = statsOf(path);
    return stats ? stateFrom(stats, path) : ABSENT;
  }

  #isHidden(path: string): boolean {
    for (let above = folderOf(path); ; above = folderOf(above)) {
      const entry = this.#entries.get(above);
      if (entry) return entry.hidesBelow;
      if (above === '/') return false;
    }
  }
}

/** Reads the files of a run when they are first asked for, and only then. */
export function finalFilesOfRuns(): (run: RunOutcome) => FinalFiles {
  const known = new WeakMap<RunOutcome, FinalFiles>();
  return (run) => {
    const files = known.get(run) ?? new FinalFiles(run.layers);
    known.set(run, files);
    return files;
  };
}

export function differingPaths(a: FinalFiles, b: FinalFiles, except: LeftOut = NOTHING): string[] {
  return [...differences(a, b, except)].sort();
}

export function sameFiles(a: FinalFiles, b: FinalFiles, except: LeftOut = NOTHING): boolean {
  return differences(a, b, except).next().done === true;
}

function* differences(a: FinalFiles, b: FinalFiles, except: LeftOut): Generator<string> {
  for (const path of new Set([...a.paths(), ...b.paths()])) {
    if (!except.has(path) && !sameState(a.stateOf(path), b.stateOf(path))) yield path;
  }
}

/** `/a` from `/a/b`, and `/` from `/a`. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
