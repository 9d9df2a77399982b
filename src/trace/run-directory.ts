/**
 * Where a run keeps its recording, and its report: `.deadheat/<engine>-<n>/`
 * under the current folder, or a directory that the user chose with -o DIR.
 *
 *   .deadheat/.gitignore          '*': the user's repository stays clean
 *   .deadheat/procs-1/run.json    see run-info.ts
 *   .deadheat/procs-1/trace.bin   see chunk.ts
 *   .deadheat/procs-1/report.json
 *   .deadheat/procs-2/…
 *
 * Two runs that start at once never share a directory: mkdir(2) lets only one of them have it, and
 * the other takes the next number. A number may be used again after its run has been deleted.
 */
import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import type { Engine } from '../base/engines.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { ownFolder } from '../linux/own-process.ts';
import type { NewRunInfo } from './new-run-info.ts';
import { newRunInfo, writeRunInfo } from './new-run-info.ts';
import { replaceFile } from './replace-file.ts';
import type { RunInfo } from './run-info.ts';
import { runsFolderName } from './run-names.ts';

export class Run {
  readonly path: string;
  readonly #home: string | undefined;
  #info: RunInfo;

  /** `home`: for a run inside another one, that one's. */
  constructor(path: string, info: RunInfo, home?: string) {
    this.path = path;
    this.#home = home;
    this.#info = info;
  }

  get info(): RunInfo {
    return this.#info;
  }

  /** What the user can call it: `procs-3`, or its path if it is not among the numbered ones. */
  get name(): string {
    const isNumbered = basename(dirname(this.path)) === runsFolderName;
    return isNumbered ? basename(this.path) : this.path;
  }

  /** The folder that only deadheat has business in: this one, or the one with all runs. */
  get home(): string {
    return this.#home ?? (this.name === this.path ? this.path : dirname(this.path));
  }

  get traceFile(): string {
    return join(this.path, 'trace.bin');
  }

  get reportFile(): string {
    return join(this.path, 'report.json');
  }

  saveReport(text: string): void {
    replaceFile(this.reportFile, text);
  }

  /** Replaces run.json by one with these changes. */
  update(changes: Partial<RunInfo>): void {
    const info = { ...this.#info, ...changes };
    writeRunInfo(this.path, info);
    this.#info = info;
  }
}

export interface CreateOptions {
  /** Where `.deadheat` is. */
  readonly folder?: string;
  /** The user's -o DIR. */
  readonly output?: string | undefined;
}

export function createRun(info: NewRunInfo, options: CreateOptions = {}): Run {
  const folder = options.folder ?? ownFolder();
  const path =
    options.output === undefined
      ? createNumbered(join(folder, runsFolderName), info.engine)
      : createChosen(resolve(folder, options.output));
  const complete = newRunInfo(info);
  writeRunInfo(path, complete);
  return new Run(path, complete);
}

function createNumbered(runs: string, engine: Engine): string {
  makeFolder(runs);
  const numbers = fs.readdirSync(encodeBytes(runs), 'utf8').map((name) => numberOf(name, engine));
  for (let number = Math.max(0, ...numbers) + 1; ; number++) {
    const path = join(runs, `${engine}-${number}`);
    if (attempt(path, () => makeUnlessThere(path))) return path;
  }
}

/** 3 for `procs-3`, 0 for what is not a run of this engine. */
function numberOf(name: string, engine: Engine): number {
  const digits = name.startsWith(`${engine}-`) ? name.slice(engine.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : 0;
}

function makeFolder(runs: string): void {
  attempt(runs, () => {
    if (makeUnlessThere(runs)) fs.writeFileSync(encodeBytes(join(runs, '.gitignore')), '*\n');
    else
      fs.accessSync(encodeBytes(runs), fs.constants.W_OK | fs.constants.X_OK | fs.constants.R_OK);
  });
}

/** False if something has that name already. */
function makeUnlessThere(path: string): boolean {
  try {
    fs.mkdirSync(encodeBytes(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function createChosen(path: string): string {
  const isEmpty = attempt(path, () => {
    fs.mkdirSync(encodeBytes(path), { recursive: true });
    return fs.readdirSync(encodeBytes(path)).length === 0;
  });
  if (isEmpty) return path;
  throw new UserError(`${path} is not empty`, 'choose a new or empty directory with -o DIR');
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new UserError(
      `cannot create ${path}: ${(error as Error).message}`,
      'choose a directory that you may write to with -o DIR',
      ExitStatus.unavailable,
    );
  }
}
