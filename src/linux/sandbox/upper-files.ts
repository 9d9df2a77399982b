/**
 * How an overlay writes down in its upper folder what has changed; see
 * Documentation/filesystems/overlayfs in the kernel's source.
 *
 *   a character device 0,0            there is nothing here any more
 *   overlay.opaque = y on a folder    nothing of the folder below shows through
 *   overlay.origin and others         the overlay's own
 */
import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { decodeBytes, encodeBytes } from '../../base/bytes.ts';
import { attribute, attributeNames, removeAttribute } from '../extended-attributes.ts';

/** Root's overlays use the first, those of a user namespace the second. */
export const PREFIXES = ['trusted.overlay.', 'user.overlay.'] as const;

export type FileStats = BigIntStats;

export function statsOf(path: string): FileStats | undefined {
  try {
    return lstatSync(encodeBytes(path), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Behind a folder of somebody else's that we may not look into, or behind a file.
    if (code === 'EACCES' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function namesIn(folder: string): string[] {
  return readdirSync(encodeBytes(folder), { encoding: 'buffer' }).map(decodeBytes);
}

export const isWhiteout = (stats: FileStats): boolean =>
  stats.isCharacterDevice() && stats.rdev === 0n;

export const isOpaque = (folder: string): boolean =>
  PREFIXES.some((prefix) => attribute(folder, `${prefix}opaque`)?.toString() === 'y');

export const isOverlayNote = (name: string): boolean =>
  PREFIXES.some((prefix) => name.startsWith(prefix));

/** Before a file leaves the upper folder. */
export function removeOverlayNotes(path: string): void {
  for (const name of attributeNames(path)) if (isOverlayNote(name)) removeAttribute(path, name);
}

/** Whether anything below the place was changed; copies of unchanged folders do not count. */
export function hasChanges(upper: string, place: string): boolean {
  return lookingInto(upper, () =>
    namesIn(upper).some((name) => {
      const [ours, real] = [`${upper}/${name}`, `${place === '/' ? '' : place}/${name}`];
      if (!statsOf(ours)?.isDirectory() || isOpaque(ours)) return true;
      return !statsOf(real)?.isDirectory() || hasOtherRights(ours, real) || hasChanges(ours, real);
    }),
  );
}

/** Looks into a folder of ours that may be locked, and leaves it as it was. */
export function lookingInto<T>(folder: string, look: () => T): T {
  const stats = statsOf(folder);
  if (!stats) return look();
  openUp(folder, stats);
  try {
    return look();
  } finally {
    closeAgain(folder, stats);
  }
}

/** Reads something in an upper folder, although it and the folders that lead to it may be locked. */
export function readingLocked<T>(upper: string, path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
  const names = path.slice(upper.length + 1).split('/');
  const unlock = (count: number): T =>
    count > names.length
      ? read()
      : lookingInto([upper, ...names.slice(0, count)].join('/'), () => unlock(count + 1));
  return unlock(0);
}

/** Whether a folder's owner or mode was changed; not for folders of others, see layers.ts. */
function hasOtherRights(ours: string, real: string): boolean {
  const [a, b] = [statsOf(ours), statsOf(real)];
  if (!a || !b || !isOurs(b)) return false;
  return a.mode !== b.mode || a.uid !== b.uid || a.gid !== b.gid;
}

/** Whether it is ours to change the rights of. */
export function isOurs({ uid }: FileStats): boolean {
  const own = BigInt(process.geteuid?.() ?? 0);
  return own === 0n || own === uid;
}

const ALL_RIGHTS = 0o700n;

/** A folder of ours that we may not change or look into, for the time of our work in it. */
export function openUp(folder: string, stats: FileStats): void {
  if (!mustOpen(stats)) return;
  chmodSync(encodeBytes(folder), Number((stats.mode & 0o7777n) | ALL_RIGHTS));
}

export function closeAgain(folder: string, stats: FileStats): void {
  if (mustOpen(stats)) chmodSync(encodeBytes(folder), Number(stats.mode & 0o7777n));
}

/** Root may do everything anyway. */
const mustOpen = (stats: FileStats): boolean =>
  stats.uid !== 0n && isOurs(stats) && (stats.mode & ALL_RIGHTS) !== ALL_RIGHTS;

/** With everything in it, however its folders are locked; another thread may be at it, too. */
export function removeTree(path: string): void {
  try {
    remove(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function remove(path: string): void {
  const stats = statsOf(path);
  if (!stats) return;
  if (!stats.isDirectory()) return unlinkSync(encodeBytes(path));
  openUp(path, stats);
  for (const name of namesIn(path)) removeTree(`${path}/${name}`);
  rmdirSync(encodeBytes(path));
}
