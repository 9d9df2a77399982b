/**
 * What there is at a path at the end of a run, as far as two runs are compared by it: kind, mode,
 * owner, contents, a link's target. Times are not: they differ always. Nor are extended attributes
 * and how many names a file has: nothing that a race does to those is known to matter.
 *
 * Contents are read only if all else is the same, and only once.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { decodeBytes, encodeBytes } from '../../base/bytes.ts';
import { type FileStats, readingLocked } from '../../linux/sandbox/upper-files.ts';

interface Rights {
  readonly mode: number;
  /** `uid:gid` */
  readonly owner: string;
}

export type FileState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'link'; readonly target: string }
  | ({ readonly kind: 'folder' | 'fifo' | 'socket' } & Rights)
  | ({ readonly kind: 'device'; readonly number: bigint } & Rights)
  | ({ readonly kind: 'file'; readonly size: number; readonly content: FileContent } & Rights);

export const ABSENT: FileState = { kind: 'absent' };

/** `upper`: the upper folder that it is in, if it is in one. */
export function stateFrom(stats: FileStats, at: string, upper?: string): FileState {
  const read = <T>(act: () => T): T =>
    upper === undefined ? act() : readingLocked(upper, at, act);
  if (stats.isSymbolicLink()) {
    const target = read(() => readlinkSync(encodeBytes(at), { encoding: 'buffer' }));
    return { kind: 'link', target: decodeBytes(target) };
  }
  const rights = { mode: Number(stats.mode & 0o7777n), owner: `${stats.uid}:${stats.gid}` };
  if (stats.isDirectory()) return { kind: 'folder', ...rights };
  if (stats.isFIFO()) return { kind: 'fifo', ...rights };
  if (stats.isSocket()) return { kind: 'socket', ...rights };
  if (!stats.isFile()) return { kind: 'device', number: stats.rdev, ...rights };
  const content = new FileContent(at, () => read(() => openSync(encodeBytes(at), 'r')));
  return { kind: 'file', size: Number(stats.size), content, ...rights };
}

export function sameState(a: FileState, b: FileState): boolean {
  if (a.kind === 'absent' || b.kind === 'absent') return a.kind === b.kind;
  if (a.kind === 'link' || b.kind === 'link') {
    return a.kind === 'link' && b.kind === 'link' && a.target === b.target;
  }
  if (a.kind !== b.kind || a.mode !== b.mode || a.owner !== b.owner) return false;
  if (a.kind === 'device' && b.kind === 'device') return a.number === b.number;
  if (a.kind === 'file' && b.kind === 'file') {
    return a.size === b.size && sameContent(a.content, b.content);
  }
  return true;
}

/** True also for what cannot be read: nothing is known to differ. */
export function sameContent(a: FileContent, b: FileContent): boolean {
  if (a.at === b.at) return true;
  return a.digest === undefined || b.digest === undefined || a.digest === b.digest;
}

const CHUNK = 1 << 18;

export class FileContent {
  readonly at: string;
  readonly #open: () => number;
  #digest: string | undefined;
  #wasRead = false;

  constructor(at: string, open: () => number) {
    this.at = at;
    this.#open = open;
  }

  /** undefined if it cannot be read. */
  get digest(): string | undefined {
    if (!this.#wasRead) this.#digest = this.#computeDigest();
    this.#wasRead = true;
    return this.#digest;
  }

  /** All of it, piece by piece; a piece is only good until the next one. */
  *chunks(): Generator<Buffer> {
    const fd = this.#open();
    try {
      // Most files are small, and a build has thousands of them.
      const room = Buffer.allocUnsafe(Math.min(CHUNK, fstatSync(fd).size + 1));
      for (;;) {
        const length = readSync(fd, room, 0, room.length, null);
        if (length === 0) return;
        yield room.subarray(0, length);
      }
    } finally {
      closeSync(fd);
    }
  }

  /** The first bytes; undefined if they cannot be read. */
  head(length: number): Buffer | undefined {
    try {
      const pieces: Buffer[] = [];
      let size = 0;
      for (const piece of this.chunks()) {
        pieces.push(Buffer.from(piece));
        size += piece.length;
        if (size >= length) break;
      }
      return Buffer.concat(pieces).subarray(0, length);
    } catch {
      return undefined;
    }
  }

  #computeDigest(): string | undefined {
    const hash = createHash('sha256');
    try {
      for (const piece of this.chunks()) hash.update(piece);
    } catch {
      return undefined;
    }
    return hash.digest('base64');
  }
}
