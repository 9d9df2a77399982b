/** Makes what runs leave behind, by hand: an upper folder as overlayfs writes it, over a real one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { setAttribute } from '../../../linux/extended-attributes.ts';
import { makeSpecialFile } from '../../../linux/special-file.ts';
import type { RunOutcome } from '../outcome.ts';

const S_IFCHR = 0o020000;

export class Place {
  readonly folder: string;
  /** The real files. */
  readonly real: string;
  #runs = 0;

  constructor(real: Readonly<Record<string, string>> = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'deadheat-check-'));
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    this.real = join(this.folder, 'real');
    mkdirSync(this.real);
    fill(this.real, real);
  }

  /** A run that wrote these files, and whatever else the caller puts into its upper folder. */
  run(changed: Readonly<Record<string, string>> = {}, outcome: Partial<RunOutcome> = {}): Run {
    const top = join(this.folder, `run${this.#runs++}`);
    const upper = join(top, 'changes/0/upper');
    mkdirSync(upper, { recursive: true });
    fill(upper, changed);
    for (const name of ['stdout', 'stderr']) writeFileSync(join(top, name), '');
    return {
      exit: { code: 0 },
      hung: false,
      deaths: [],
      leftovers: [],
      stdout: join(top, 'stdout'),
      stderr: join(top, 'stderr'),
      layers: [{ place: this.real, upper }],
      upper,
      ...outcome,
    };
  }

  at(name: string): string {
    return join(this.real, name);
  }
}

export interface Run extends RunOutcome {
  readonly upper: string;
}

export const markDeleted = ({ upper }: Run, name: string): void =>
  makeSpecialFile(join(upper, name), S_IFCHR, 0n);

export const markReplaced = ({ upper }: Run, name: string): void =>
  setAttribute(join(upper, name), 'user.overlay.opaque', Buffer.from('y'));

/** A name that ends in a slash is a folder. */
function fill(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(path, text);
  }
}
