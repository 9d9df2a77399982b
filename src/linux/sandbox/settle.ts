/**
 * After the program: commits the changes or leaves them in the run directory, and clears away what
 * is not needed. A layer that had to be kept in memory is copied to the disk; if the file system
 * there cannot hold an overlay's notes, these are put into two lists instead, with paths that end in
 * NUL: `deleted`, and `replaced` for folders of which nothing old shows through.
 */
import { appendFileSync, closeSync, mkdirSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { attribute, setAttribute } from '../extended-attributes.ts';
import { commitLayer, type NotCommitted } from './commit.ts';
import { copyProperties, FileMover } from './copy-file.ts';
import type { BuiltFileSystem } from './file-system.ts';
import type { SandboxPlan } from './sandbox.ts';
import {
  hasChanges,
  isOpaque,
  isWhiteout,
  namesIn,
  openUp,
  removeTree,
  statsOf,
} from './upper-files.ts';

export interface SettledChanges {
  /** The layers of which there are changes left, by number. */
  readonly layers: readonly { readonly place: string; readonly layer: number }[];
  readonly notCommitted: readonly NotCommitted[];
}

export interface SettleOptions {
  readonly keep: boolean;
  /** When the recording began, in nanoseconds of the real clock. */
  readonly since: bigint;
}

export function settleChanges(
  { parts, changes }: SandboxPlan,
  fileSystem: BuiltFileSystem | undefined,
  { keep, since }: SettleOptions,
): SettledChanges {
  const layers: { place: string; layer: number }[] = [];
  const notCommitted: NotCommitted[] = [];
  for (const part of parts) {
    if (part.kind !== 'layer') continue;
    const { place, layer } = part;
    const onDisk = `${changes}/${layer}`;
    const isInMemory = fileSystem?.inMemory.includes(layer) ?? false;
    const upper = isInMemory
      ? `/proc/self/fd/${fileSystem?.memoryFd}/${layer}/upper`
      : `${onDisk}/upper`;
    if (keep) notCommitted.push(...commitLayer(upper, place, since));
    removeTree(`${onDisk}/work`);
    if (!hasChanges(upper, place)) removeTree(onDisk);
    else {
      layers.push({ place, layer });
      if (isInMemory) saveLayer(upper, onDisk);
    }
  }
  if (fileSystem?.memoryFd !== undefined) closeSync(fileSystem.memoryFd);
  if (layers.length === 0) removeTree(changes);
  return { layers, notCommitted };
}

function saveLayer(upper: string, layer: string): void {
  removeTree(`${layer}/upper`);
  saveFolder(upper, `${layer}/upper`, '', { layer, mover: new FileMover() });
}

interface Saving {
  layer: string;
  mover: FileMover;
}

function saveFolder(from: string, to: string, path: string, saving: Saving): void {
  const stats = statsOf(from);
  if (!stats) return;
  openUp(from, stats);
  mkdirSync(encodeBytes(to), 0o700);
  for (const name of namesIn(from)) {
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    const file = statsOf(source);
    if (!file) continue;
    if (file.isDirectory()) saveFolder(source, target, `${path}/${name}`, saving);
    else if (!isWhiteout(file)) saving.mover.copy(source, file, target);
    else
      noteOr(saving.layer, 'deleted', `${path}/${name}`, () =>
        saving.mover.copy(source, file, target),
      );
  }
  if (isOpaque(from)) noteOr(saving.layer, 'replaced', path, () => copyOpaque(from, to));
  copyProperties(from, stats, to);
}

function noteOr(layer: string, list: string, path: string, act: () => void): void {
  try {
    act();
  } catch {
    appendFileSync(
      encodeBytes(`${layer}/${list}`),
      Buffer.concat([encodeBytes(path), Buffer.of(0)]),
    );
  }
}

function copyOpaque(from: string, to: string): void {
  for (const name of ['trusted.overlay.opaque', 'user.overlay.opaque']) {
    const value = attribute(from, name);
    if (value) setAttribute(to, name, value);
  }
}
