/**
 * What is mounted where, from /proc/self/mountinfo, proc(5). Only what a path can still reach: a
 * later mount may cover an earlier one, at the same place or further up.
 *
 *   36 35 8:2 / /home rw,nosuid shared:1 - ext4 /dev/sda2 rw
 *   id parent dev root place flags       - type source flags of the whole file system
 */
import { readFileSync } from 'node:fs';
import { decodeBytes } from '../../base/bytes.ts';
import { MountFlag } from './constants.ts';

export interface Mount {
  /** Where it is, as a byte string (base/bytes.ts). */
  readonly place: string;
  /** `ext4`, `tmpfs`, `fuse.sshfs`. */
  readonly type: string;
  readonly isReadOnly: boolean;
  /** `nosuid`, `nodev`, `noexec`: MountFlag, <linux/mount.h>. */
  readonly restrictions: number;
}

const RESTRICTIONS = new Map<string, number>([
  ['nosuid', MountFlag.noSuid],
  ['nodev', MountFlag.noDevices],
  ['noexec', MountFlag.noExecution],
]);

interface Entry extends Mount {
  readonly id: string;
  readonly parent: string;
}

export function visibleMounts(text = ownMountInfo()): Mount[] {
  const entries = text.split('\n').filter(Boolean).map(parse);
  const ids = new Set(entries.map(({ id }) => id));
  const bottom = entries.find(({ parent, place }) => place === '/' && !ids.has(parent));
  if (!bottom) return [];
  const byParent = new Map<string, Entry[]>(entries.map(({ parent }) => [parent, []]));
  for (const entry of entries) byParent.get(entry.parent)?.push(entry);
  const isVisible = (entry: Entry): boolean => reach(entry.place, bottom, byParent) === entry;
  return entries.filter(isVisible).sort((a, b) => (a.place < b.place ? -1 : 1));
}

export const isBelow = (place: string, folder: string): boolean =>
  place !== folder && place.startsWith(folder === '/' ? '/' : `${folder}/`);

/** Walks down as the kernel does: from a mount to the first one that lies on the way. */
function reach(path: string, bottom: Entry, byParent: ReadonlyMap<string, Entry[]>): Entry {
  for (let current = bottom; ; ) {
    const onTheWay = (byParent.get(current.id) ?? []).filter(
      (entry) => entry !== current && (entry.place === path || isBelow(path, entry.place)),
    );
    if (onTheWay.length === 0) return current;
    current = onTheWay.reduce((a, b) => (b.place.length < a.place.length ? b : a));
  }
}

function parse(line: string): Entry {
  const [before = '', after = ''] = line.split(' - ');
  const [id = '', parent = '', , , place = '', flags = ''] = before.split(' ');
  const [type = '', , superFlags = ''] = after.split(' ');
  const isReadOnly = [flags, superFlags].some((list) => list.split(',').includes('ro'));
  const restrictions = flags.split(',').map((flag) => RESTRICTIONS.get(flag) ?? 0);
  return {
    id,
    parent,
    place: unescaped(place),
    type,
    isReadOnly,
    restrictions: restrictions.reduce((all, flag) => all | flag, 0),
  };
}

/** Blanks and backslashes are written in octal: `\040`. */
function unescaped(place: string): string {
  const bytes = place.replace(/\\([0-7]{3})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return decodeBytes(Buffer.from(bytes, 'latin1'));
}

const ownMountInfo = (): string => readFileSync('/proc/self/mountinfo', 'latin1');
