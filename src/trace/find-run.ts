/**
 * Finds the run that the user means by a word on the command line:
 *
 *   latest           the one that started last
 *   procs-3          .deadheat/procs-3
 *   ./out, /tmp/x    a run directory, wherever it is
 *
 * `latest` looks at the numbered runs only: a run made with -o DIR is found by its path.
 */
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import type { Engine } from '../base/engines.ts';
import { bySimilarity } from '../base/similar-names.ts';
import { UserError } from '../base/user-error.ts';
import { ownFolder } from '../linux/own-process.ts';
import { openRunDirectory } from './open-run.ts';
import type { Run } from './run-directory.ts';
import { isNumberedName, runNames, runsFolderName } from './run-names.ts';

/** A line of `deadheat ls`: a run, or what is left of one. */
export type ListedRun =
  | { readonly name: string; readonly path: string; readonly run: Run }
  | { readonly name: string; readonly path: string; readonly broken: string };

/** All numbered runs, the newest first, broken ones last. */
export function listRuns(folder = ownFolder()): ListedRun[] {
  const inspected = runNames(folder).map((name) =>
    inspect(name, join(folder, runsFolderName, name)),
  );
  return inspected.sort((a, b) => compare(startOf(b), startOf(a)) || compareNames(b.name, a.name));
}

export function findRun(word: string, folder = ownFolder()): Run {
  if (word === 'latest') return latest(folder);
  if (runNames(folder).includes(word)) return openRunDirectory(join(folder, runsFolderName, word));
  const path = resolve(folder, word);
  if (fs.existsSync(encodeBytes(path))) return openRunDirectory(path);
  throw noSuchRun(word, folder);
}

/** The same for a command that can only do something with the runs of one engine. */
export function findRunOf(engine: Engine, word: string, folder = ownFolder()): Run {
  if (word === 'latest') return latest(folder, engine);
  const run = findRun(word, folder);
  if (run.info.engine === engine) return run;
  throw new UserError(
    `${run.name} is a run of '${run.info.engine}', and this command is for those of '${engine}'`,
    'deadheat ls shows which runs there are',
  );
}

/** Whether a word means a run, there or not, where a program could stand as well. */
export function looksLikeRun(word: string, folder = ownFolder()): boolean {
  if (word === 'latest' || isNumberedName(word)) return true;
  const stats = fs.statSync(encodeBytes(resolve(folder, word)), { throwIfNoEntry: false });
  return stats?.isDirectory() ?? false;
}

function latest(folder: string, engine?: Engine): Run {
  for (const listed of listRuns(folder)) {
    if (!('run' in listed)) continue;
    if (engine === undefined || listed.run.info.engine === engine) return listed.run;
  }
  const names = runNames(folder);
  if (engine === undefined || names.length === 0) throw noSuchRun('latest', folder);
  throw new UserError(
    `no run latest: there are no runs of '${engine}' in ${join(folder, runsFolderName)} yet`,
    'name a run by its path, or make one',
  );
}

function inspect(name: string, path: string): ListedRun {
  try {
    return { name, path, run: openRunDirectory(path) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { name, path, broken: error.message };
  }
}

/** ISO dates sort as text; '' puts broken runs at the old end. */
function startOf(listed: ListedRun): string {
  return 'run' in listed ? listed.run.info.startedAt : '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function noSuchRun(word: string, folder: string): UserError {
  const names = runNames(folder);
  if (names.length === 0) {
    return new UserError(
      `no run ${word}: there are no runs in ${join(folder, runsFolderName)} yet`,
      'make one with deadheat procs -- CMD, or name a run by its path',
    );
  }
  const close = bySimilarity(word, names).slice(0, 3).join(', ');
  return new UserError(`no run ${word}; the nearest are ${close}`, 'deadheat ls shows all of them');
}
