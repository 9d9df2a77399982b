/**
 * What the file system of a sandbox is put together from. Everything that can be written to gets a
 * layer of its own, an overlay whose changes go elsewhere; devices and the kernel's own file
 * systems are shown as they are. As root that is one overlay over `/`, and more over what is
 * mounted below:
 *
 *   /        overlay        /home    overlay (mounted apart)      /sys  as it is
 *   /proc    a fresh one    /dev     as it is                     /dev/shm  overlay
 *
 * A plain user may not lay an overlay over a folder with mounts below it: it could uncover what
 * they hide. Such folders, `/` first of all, are then put together from their entries, each
 * with a layer of its own.
 */
import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { decodeBytes, encodeBytes } from '../../base/bytes.ts';
import { isBelow, type Mount } from './mount-table.ts';

/** What stands at a place of the sandbox; folders come before what is in them. */
export type Part =
  /** An overlay; `layer` counts them. `earlier`: the upper folder of another run, to start with. */
  | { kind: 'layer'; place: string; layer: number; restrictions: number; earlier?: string }
  /** The same file system, with all that is mounted below. */
  | { kind: 'same'; place: string; isFile?: boolean }
  /** A folder that is put together from the parts below it. */
  | { kind: 'folder'; place: string }
  | { kind: 'link'; place: string; target: string }
  | { kind: 'proc'; place: string };

/** The kernel's own file systems: what they hold is not files. */
const NOT_FILES: ReadonlySet<string> = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl ' +
    'fuse.gvfsd-fuse fuse.lxcfs fuse.portal hugetlbfs mqueue nfsd nsfs proc pstore resctrl ' +
    'rpc_pipefs securityfs selinuxfs smackfs sysfs tracefs'
  ).split(' '),
);

/** `mayCoverMounts`: whether an overlay may be laid over a folder with mounts below it. */
export function planSandbox(mounts: readonly Mount[], mayCoverMounts: boolean): Part[] {
  const planner = new Planner(mounts);
  if (mayCoverMounts) planner.cover('/', 0);
  else planner.assemble('/');
  for (const mount of mounts) {
    if (mount.place !== '/') planner.mounted(mount, mayCoverMounts);
  }
  return planner.parts;
}

class Planner {
  readonly parts: Part[] = [];
  readonly #mounts: readonly Mount[];
  /** Places that are done with everything below them, but for files that may be written to. */
  readonly #same: string[] = [];
  #layers = 0;

  constructor(mounts: readonly Mount[]) {
    this.#mounts = mounts;
  }

  cover(place: string, restrictions: number): void {
    this.parts.push({ kind: 'layer', place, layer: this.#layers++, restrictions });
  }

  /** A folder entry by entry; what is mounted in it follows later. */
  assemble(folder: string): void {
    this.parts.push({ kind: 'folder', place: folder });
    for (const name of namesIn(folder)) {
      const place = `${folder === '/' ? '' : folder}/${name}`;
      if (!this.#mounts.some((mount) => mount.place === place)) this.#entry(place);
    }
  }

  mounted({ place, type, isReadOnly, restrictions }: Mount, mayCoverMounts: boolean): void {
    if (isBelow(place, '/proc') || isBelow(place, '/sys')) return;
    if (place === '/proc') {
      this.parts.push({ kind: 'proc', place });
      return;
    }
    const isDone = this.#same.some((done) => isBelow(place, done));
    const stats = statsOf(place);
    if (!stats?.isDirectory() || place === '/dev' || NOT_FILES.has(type) || isReadOnly) {
      if (!isDone) this.#keep(place, stats);
    } else if (mayCoverMounts || !this.#hasMountsBelow(place)) {
      this.cover(place, restrictions);
    } else this.assemble(place);
  }

  #entry(place: string): void {
    const stats = statsOf(place);
    if (stats?.isSymbolicLink()) {
      const target = readlinkSync(encodeBytes(place), { encoding: 'buffer' });
      this.parts.push({ kind: 'link', place, target: decodeBytes(target) });
    } else if (!stats?.isDirectory()) this.#keep(place, stats);
    else if (this.#hasMountsBelow(place)) this.assemble(place);
    else this.cover(place, 0);
  }

  #keep(place: string, stats: Stats | undefined): void {
    if (!stats) return;
    this.#same.push(place);
    this.parts.push({ kind: 'same', place, ...(!stats.isDirectory() && { isFile: true }) });
  }

  #hasMountsBelow(place: string): boolean {
    return this.#mounts.some((mount) => isBelow(mount.place, place));
  }
}

/** Nothing for a folder that may not be read: its entries cannot be named either. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(encodeBytes(folder), { encoding: 'buffer' }).map(decodeBytes);
  } catch {
    return [];
  }
}

/** undefined for what cannot be looked at, such as somebody else's FUSE mount. */
function statsOf(place: string): Stats | undefined {
  try {
    return lstatSync(encodeBytes(place));
  } catch {
    return undefined;
  }
}
