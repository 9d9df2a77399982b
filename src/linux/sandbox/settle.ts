/**
 * After the program: commits the changes or leaves them in the run directory, and clears away what
 * is not needed. A layer that had to be kept in memory is copied to the disk.
 */
import { closeSync } from 'node:fs';
import { commitLayer, type NotCommitted } from './commit.ts';
import { copyLayer } from './copy-layer.ts';
import type { BuiltFileSystem } from './file-system.ts';
import type { SandboxPlan } from './sandbox.ts';
import { hasChanges, removeTree } from './upper-files.ts';

export interface SettledChanges {
  /** The layers of which there are changes left, by number. */
  readonly layers: readonly { readonly place: string; readonly layer: number }[];
  readonly notCommitted: readonly NotCommitted[];
}

export interface SettleOptions {
  readonly keep: boolean;
  /** When the recording began, in nanoseconds of the real clock. */
  readonly since: bigint;
  /** Gets rid of what nobody needs any more, in this order; absent: at once. */
  remove?(path: string): void;
}

export function settleChanges(
  { parts, changes }: SandboxPlan,
  fileSystem: BuiltFileSystem | undefined,
  { keep, since, remove = removeTree }: SettleOptions,
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
    remove(`${onDisk}/work`);
    if (!hasChanges(upper, place)) remove(onDisk);
    else {
      layers.push({ place, layer });
      if (isInMemory) saveLayer(upper, onDisk);
    }
  }
  if (fileSystem?.memoryFd !== undefined) closeSync(fileSystem.memoryFd);
  if (layers.length === 0) remove(changes);
  return { layers, notCommitted };
}

function saveLayer(upper: string, layer: string): void {
  removeTree(`${layer}/upper`);
  copyLayer(upper, layer);
}
