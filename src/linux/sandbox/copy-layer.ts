/**
 * Copies what a layer holds, with the overlay's notes. Where a file system cannot hold these, they
 * are put into two lists beside the copy, with paths that end in NUL: `deleted`, and `replaced` for
 * folders of which nothing old shows through. Copied again to where they can be held, they are notes.
 *
 *   changes/0/upper/out          what the program wrote
 *   changes/0/deleted            /home/me/old\0
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { byteStrings, encodeBytes } from '../../base/bytes.ts';
import { attribute, setAttribute } from '../extended-attributes.ts';
import { makeSpecialFile } from '../special-file.ts';
import { copyProperties, FileMover } from './copy-file.ts';
import {
  isOpaque,
  isWhiteout,
  lookingInto,
  namesIn,
  PREFIXES,
  readingLocked,
  statsOf,
} from './upper-files.ts';

/** Source: <linux/stat.h>. */
const S_IFCHR = 0o020000;

/** `layer` is a folder without an `upper` yet. */
export function copyLayer(upper: string, layer: string): void {
  new Copying(upper, layer).folder('');
  for (const list of ['deleted', 'replaced'] as const) {
    const note = list === 'deleted' ? makeWhiteout : makeOpaque;
    for (const path of listBeside(upper, list)) noteOr(layer, list, path, note);
  }
}

/** What there is to know of an upper folder without notes. */
export function listBeside(upper: string, name: 'deleted' | 'replaced'): string[] {
  const path = `${upper.slice(0, upper.lastIndexOf('/'))}/${name}`;
  return statsOf(path)?.isFile() ? byteStrings(readFileSync(encodeBytes(path))) : [];
}

class Copying {
  readonly #upper: string;
  readonly #layer: string;
  readonly #mover = new FileMover();

  constructor(upper: string, layer: string) {
    this.#upper = upper;
    this.#layer = layer;
  }

  folder(path: string): void {
    const [from, to] = [this.#upper + path, `${this.#layer}/upper${path}`];
    const stats = statsOf(from);
    if (!stats) return;
    mkdirSync(encodeBytes(to), 0o700);
    lookingInto(from, () => {
      for (const name of namesIn(from)) this.#entry(`${path}/${name}`);
    });
    if (isOpaque(from)) noteOr(this.#layer, 'replaced', path, (at) => copyOpaque(from, at));
    copyProperties(from, stats, to);
  }

  #entry(path: string): void {
    const from = this.#upper + path;
    const stats = statsOf(from);
    if (!stats) return;
    const copy = (to: string): void =>
      readingLocked(this.#upper, from, () => this.#mover.copy(from, stats, to));
    if (stats.isDirectory()) this.folder(path);
    else if (isWhiteout(stats)) noteOr(this.#layer, 'deleted', path, copy);
    else copy(`${this.#layer}/upper${path}`);
  }
}

function noteOr(
  layer: string,
  list: 'deleted' | 'replaced',
  path: string,
  act: (at: string) => void,
): void {
  try {
    act(`${layer}/upper${path}`);
  } catch {
    const line = Buffer.concat([encodeBytes(path), Buffer.of(0)]);
    appendFileSync(encodeBytes(`${layer}/${list}`), line);
  }
}

function makeWhiteout(at: string): void {
  lookingInto(at.slice(0, at.lastIndexOf('/')), () => makeSpecialFile(at, S_IFCHR, 0n));
}

function makeOpaque(at: string): void {
  const [ofRoot, ofUsers] = PREFIXES.map((prefix) => `${prefix}opaque`);
  const value = Buffer.from('y');
  try {
    setAttribute(at, ofRoot!, value);
  } catch {
    lookingInto(at, () => setAttribute(at, ofUsers!, value));
  }
}

function copyOpaque(from: string, to: string): void {
  for (const prefix of PREFIXES) {
    const value = attribute(from, `${prefix}opaque`);
    if (value) setAttribute(to, `${prefix}opaque`, value);
  }
}
