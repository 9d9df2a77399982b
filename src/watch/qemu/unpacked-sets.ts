/**
 * Sets of packages in the user's cache, unpacked and not installed:
 *
 *   ~/.cache/deadheat/debian/kernel-6.1.176-1-c5d1b0f2/boot/vmlinuz-6.1.0-50-amd64
 *
 * A folder gets its name when everything is in it, so whatever has a name is complete, and two that fetch the same at
 * once do not meet: the first one to be ready stays. Without being asked to fetch, nothing asks apt-get (which
 * takes seconds, and may know of a newer version): the newest set that is there is used.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { ExitStatus } from '../../base/exit-status.ts';
import { tellProgress } from '../../base/progress.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { userCache } from '../../linux/user-cache.ts';
import { download } from './apt.ts';
import { currentSet, type PackageSet, partsOf, type SetName } from './package-sets.ts';

const UNFINISHED = 'unfinished-';
/** Left by somebody who was killed, and did not come back for a day. */
const ABANDONED_MS = 86_400_000;
/** What unpacking takes for each byte that is fetched, with the fetched file itself. */
const ROOM_FOR_A_BYTE = 6;
const MEGABYTE = 1_000_000;

const cacheFolder = (): string => join(userCache(), 'debian');

/** The newest of this kind, of those that are `good`. */
export function unpackedSet(set: SetName, good = (_folder: string) => true): string | undefined {
  const found = tryTo(() => readdirSync(cacheFolder()));
  const folders = (found.ok ? found.value : [])
    .filter((name) => name.startsWith(`${set}-`))
    .map((name) => join(cacheFolder(), name))
    // Another deadheat may have taken one away.
    .map((folder) => ({ folder, since: tryTo(() => statSync(folder).mtimeMs) }))
    .filter(({ since, folder }) => since.ok && good(folder));
  const newest = folders.sort((a, b) => timeOf(b.since) - timeOf(a.since))[0];
  return newest?.folder;
}

const timeOf = (time: { ok: boolean; value?: number }): number => time.value ?? 0;

/** Those of the sets that the cache does not have as Debian has them now. */
export function setsToFetch(sets: readonly SetName[]): PackageSet[] {
  return sets.map(currentSet).filter(({ folder }) => !existsSync(join(cacheFolder(), folder)));
}

export const megabytes = (sets: readonly PackageSet[]): number =>
  Math.ceil(sets.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE);

/** Downloads and unpacks; afterwards `unpackedSet` finds it. */
export function fetchSet(wanted: PackageSet): void {
  const cache = cacheFolder();
  const made = tryTo(() => mkdirSync(cache, { recursive: true }));
  if (!made.ok) throw cannotKeep(made.error.message);
  requireRoom(cache, wanted);
  removeAbandoned(cache);
  const unfinished = mkdtempSync(join(cache, UNFINISHED));
  try {
    const downloaded = join(unfinished, 'packages');
    const root = join(unfinished, 'root');
    for (const folder of [downloaded, root]) mkdirSync(folder);
    for (const [place, one] of wanted.packages.entries()) {
      tellProgress(`packages fetched, now ${one}`, place, wanted.packages.length);
      download([one], downloaded);
    }
    for (const file of readdirSync(downloaded)) {
      unpack(join(downloaded, file), root, partsOf(wanted.set));
    }
    takePlace(root, join(cache, wanted.folder));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** With a pattern that nothing matches tar fails, which is as well: the guest would not start. */
function unpack(file: string, root: string, parts: readonly string[] | undefined): void {
  const some = (parts ?? []).map((part) => `'${part}'`).join(' ');
  const options = parts === undefined ? '' : `--wildcards ${some}`;
  // No owners: root must not make files of somebody else's. The shell tells if either side fails.
  const script = `set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x --no-same-owner -C "$2" ${options}`;
  const args = ['-c', script, 'bash', file, root];
  const { status, error, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  if (error || status !== 0) {
    throw cannotKeep(error?.message ?? stderr.trim().split('\n').at(0) ?? `status ${status}`);
  }
}

function takePlace(root: string, place: string): void {
  const moved = tryTo(() => renameSync(root, place));
  // Somebody else was faster: theirs is the same.
  if (!moved.ok && !existsSync(place)) throw cannotKeep(moved.error.message);
}

function requireRoom(cache: string, { set, bytes }: PackageSet): void {
  const { bavail, bsize } = statfsSync(cache);
  const needed = bytes * ROOM_FOR_A_BYTE;
  if (bavail * bsize >= needed) return;
  const [there, wanted] = [bavail * bsize, needed].map((room) => Math.ceil(room / MEGABYTE));
  throw cannotKeep(`${there} MB are free, ${set} takes ${wanted} MB while it is unpacked`);
}

function removeAbandoned(cache: string): void {
  for (const name of readdirSync(cache).filter((name) => name.startsWith(UNFINISHED))) {
    const folder = join(cache, name);
    const since = tryTo(() => statSync(folder).mtimeMs);
    if (since.ok && Date.now() - since.value > ABANDONED_MS) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

const cannotKeep = (why: string): UserError =>
  new UserError(
    `cannot unpack packages in ${cacheFolder()}: ${why}`,
    'free some space there, or choose another cache with XDG_CACHE_HOME',
    ExitStatus.unavailable,
  );
