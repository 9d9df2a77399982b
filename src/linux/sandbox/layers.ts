/**
 * The folders in which a sandbox keeps what changes, one for each layer:
 *
 *   changes/0/upper     what was made or changed below the layer's place, under the same names
 *   changes/0/work      the overlay's own
 *
 * An overlay shows the upper folder's owner and mode as those of its place, so they are copied.
 * A plain user cannot copy what belongs to others: their folders become the user's own, with as
 * many rights as the user has there. The kernel would do that copying itself when something inside
 * is first changed, but refuses it for files of others (EOVERFLOW). So it is done beforehand for the
 * folders that lead to where programs usually write, `openWays`.
 *
 * A layer can start with what another run has left in its own. That is copied: the kernel refuses a
 * second lower folder inside the first one (ELOOP), and the run directory mostly is.
 */
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  type Stats,
  utimesSync,
} from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { copyLayer } from './copy-layer.ts';
import { isBelow } from './mount-table.ts';

const RIGHTS = [
  [constants.R_OK, 0o400],
  [constants.W_OK, 0o200],
  [constants.X_OK, 0o100],
] as const;

export interface NewLayer {
  /** What it will be laid over. */
  readonly place: string;
  /** The upper folder of another run's layer over the same place. */
  readonly earlier?: string | undefined;
}

/** `folder` is made. */
export function makeLayer(folder: string, layer: NewLayer, openWays: readonly string[]): void {
  mkdirSync(encodeBytes(folder), { recursive: true });
  mkdirSync(encodeBytes(`${folder}/work`));
  if (layer.earlier !== undefined) copyLayer(layer.earlier, folder);
  else makeUpper(folder, layer.place, openWays);
}

function makeUpper(folder: string, place: string, openWays: readonly string[]): void {
  const top = place === '/' ? '' : place;
  const steps = openWays.filter((way) => isBelow(way, place)).flatMap((way) => stepsTo(way, top));
  const made = ['', ...new Set(steps)].filter((step) => make(`${folder}/upper${step}`, top + step));
  // Inner ones first: nothing can be made in a folder that may not be written to.
  for (const step of made.reverse()) copyRights(top + step || '/', `${folder}/upper${step}`);
}

/** The rights that a folder of somebody else's gives us, as if it were our own. */
function ownRights(folder: string, { mode }: Stats): number {
  const owner = RIGHTS.reduce((all, [right, bit]) => (may(folder, right) ? all | bit : all), 0);
  return (mode & 0o1077) | owner;
}

/** `/tmp/a/b` from `/tmp`: `/a`, `/a/b`. */
function stepsTo(way: string, top: string): string[] {
  const names = way.slice(top.length + 1).split('/');
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
}

/** False if the original is no folder; nor is anything below it then. */
function make(folder: string, original: string): boolean {
  const stats = lstatSync(encodeBytes(original || '/'), { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return false;
  mkdirSync(encodeBytes(folder), 0o700);
  return true;
}

function copyRights(original: string, folder: string): void {
  const path = encodeBytes(folder);
  const stats = lstatSync(encodeBytes(original));
  try {
    chownSync(path, stats.uid, stats.gid);
    chmodSync(path, stats.mode & 0o7777);
  } catch {
    chmodSync(path, ownRights(original, stats));
  }
  utimesSync(path, stats.atimeMs / 1000, stats.mtimeMs / 1000);
}

function may(folder: string, right: number): boolean {
  try {
    accessSync(encodeBytes(folder), right);
    return true;
  } catch {
    return false;
  }
}
