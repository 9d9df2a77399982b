/**
 * Puts the sandbox's file system together, by the calls of a task that has just got mounts of its
 * own and is process 1 of its pid namespace. The place to build in is /proc: it is always there,
 * and nobody needs the old one any more. Paths with odd characters are only ever passed as
 * arguments of their own, never inside an overlay's options, where commas and colons have a meaning.
 */
import { openSync } from 'node:fs';
import { printable } from '../../base/bytes.ts';
import type { SystemError } from '../system-error.ts';
import { MNT_DETACH, MountFlag } from './constants.ts';
import { makeLayer } from './layers.ts';
import { isBelow } from './mount-table.ts';
import type { Part } from './plan.ts';
import type { RemoteTask } from './remote-task.ts';

const SITE = '/proc';
const ROOT = `${SITE}/root`;
const ON_DISK = `${SITE}/changes`;
const IN_MEMORY = `${SITE}/memory`;
/** Source: <linux/stat.h>. */
const S_IFREG = 0o100000;

export interface FileSystemPlan {
  readonly parts: readonly Part[];
  /** A folder for the changes, absolute. */
  readonly changes: string;
  /** A folder that seems empty inside: where the changes are, which `find` would meet twice. */
  readonly hidden: string;
  /** Folders that programs will want to write to, see layers.ts. */
  readonly openWays: readonly string[];
  /** Whether we are in a user namespace, where an overlay has to keep its notes elsewhere. */
  readonly isUnprivileged: boolean;
  readonly shown: readonly Shown[];
}

/** A file or folder that can be read, but not changed, at another place of the sandbox. */
export interface Shown {
  readonly from: string;
  /** There is a file or folder for it. */
  readonly at: string;
  /** Of the file system it is in: MountFlag, <linux/mount.h>; a plain user may not take them away. */
  readonly restrictions: number;
}

export interface BuiltFileSystem {
  /** Layers that the disk could not hold. */
  readonly inMemory: readonly number[];
  /** The folder above them, which goes away when this is closed. */
  readonly memoryFd?: number;
  /** Places that cannot have a layer, and so cannot be written to. */
  readonly readOnly: readonly string[];
}

/** Throws a `SystemError` for what a sandbox cannot do without. */
export function buildFileSystem(task: RemoteTask, plan: FileSystemPlan): BuiltFileSystem {
  return new Builder(task, plan).build();
}

class Builder {
  readonly #task: RemoteTask;
  readonly #plan: FileSystemPlan;
  readonly #inMemory: number[] = [];
  readonly #readOnly: string[] = [];
  #memoryFd: number | undefined;

  constructor(task: RemoteTask, plan: FileSystemPlan) {
    this.#task = task;
    this.#plan = plan;
  }

  build(): BuiltFileSystem {
    const { parts, changes, hidden } = this.#plan;
    this.#call('mount', null, '/', null, MountFlag.recursive | MountFlag.private, null);
    this.#call('mount', 'deadheat', SITE, 'tmpfs', 0, 'mode=755');
    for (const folder of [ROOT, ON_DISK, IN_MEMORY]) this.#call('mkdir', folder, 0o755);
    this.#call('mount', changes, ON_DISK, null, MountFlag.bind, null);
    for (const part of parts) this.#add(part);
    this.#task.attempt('mount', 'deadheat', ROOT + hidden, 'tmpfs', 0, 'mode=755');
    for (const one of this.#plan.shown) this.#show(one);
    this.#enter();
    return {
      inMemory: this.#inMemory,
      readOnly: this.#readOnly,
      ...(this.#memoryFd !== undefined && { memoryFd: this.#memoryFd }),
    };
  }

  #add(part: Part): void {
    const target = ROOT + part.place;
    if (part.place !== '/' && part.kind !== 'link') this.#makePlace(part, target);
    switch (part.kind) {
      case 'layer':
        return this.#layer(part, target);
      case 'same':
        return this.#same(part.place, target);
      case 'proc': {
        const flags = MountFlag.noSuid | MountFlag.noDevices | MountFlag.noExecution;
        this.#call('mount', 'proc', target, 'proc', flags, null);
        return;
      }
      case 'link':
        this.#call('symlink', part.target, target);
        return;
      case 'folder':
        if (part.place === '/') this.#call('mount', 'deadheat', target, 'tmpfs', 0, 'mode=555');
        else this.#call('chmod', target, 0o555);
    }
  }

  /** Only in folders that we put together: overlays show what is there. */
  #makePlace(part: Part, target: string): void {
    const around = this.#plan.parts.findLast(
      ({ kind, place }) => isBelow(part.place, place) && kind !== 'link',
    );
    if (around?.kind !== 'folder') return;
    if (part.kind === 'same' && part.isFile) this.#call('mknod', target, S_IFREG | 0o600, 0);
    else this.#call('mkdir', target, 0o755);
  }

  #layer({ place, layer, restrictions }: Part & { kind: 'layer' }, target: string): void {
    const lower = place === '/' ? '/' : this.#bound(place, layer);
    const refused =
      lower === undefined ? undefined : this.#overlay(lower, layer, target, restrictions);
    if (lower !== undefined && refused === undefined) return;
    if (place === '/' && refused) throw refused;
    this.#readOnly.push(printable(place));
    this.#same(place, target);
    const flags = MountFlag.remount | MountFlag.bind | MountFlag.readOnly | restrictions;
    this.#task.attempt('mount', null, target, null, flags, null);
  }

  #overlay(
    lower: string,
    layer: number,
    target: string,
    restrictions: number,
  ): SystemError | undefined {
    const mount = (changes: string): SystemError | undefined => {
      const options = this.#overlayOptions(lower, `${changes}/${layer}`);
      return this.#task.attempt('mount', 'deadheat', target, 'overlay', restrictions, options);
    };
    if (mount(ON_DISK) === undefined) return undefined;
    // Not every file system can hold an upper layer: NFS cannot, nor can another overlay.
    this.#provideMemory(layer);
    const refused = mount(IN_MEMORY);
    if (refused === undefined) this.#inMemory.push(layer);
    return refused;
  }

  #overlayOptions(lower: string, changes: string): string {
    const folders = `lowerdir=${lower},upperdir=${changes}/upper,workdir=${changes}/work`;
    // What is left of these changes after a crash is of no use to anybody: no need to sync them.
    const common = `${folders},volatile`;
    return this.#plan.isUnprivileged
      ? `${common},userxattr`
      : `${common},redirect_dir=off,metacopy=off,index=off`;
  }

  #provideMemory(layer: number): void {
    const seenFromHere = `/proc/${this.#task.task}/root${IN_MEMORY}`;
    if (this.#memoryFd === undefined) {
      this.#call('mount', 'deadheat', IN_MEMORY, 'tmpfs', 0, 'mode=755');
      this.#memoryFd = openSync(seenFromHere, 'r');
    }
    for (const part of this.#plan.parts) {
      if (part.kind !== 'layer' || part.layer !== layer) continue;
      makeLayer(`${seenFromHere}/${layer}`, part, this.#plan.openWays);
    }
  }

  /** The place under a name without odd characters, and without what is mounted below. */
  #bound(place: string, layer: number): string | undefined {
    const name = `${SITE}/lower${layer}`;
    this.#call('mkdir', name, 0o755);
    return this.#task.attempt('mount', place, name, null, MountFlag.bind, null) ? undefined : name;
  }

  #same(place: string, target: string): void {
    this.#task.attempt('mount', place, target, null, MountFlag.bind | MountFlag.recursive, null);
  }

  #show({ from, at, restrictions }: Shown): void {
    this.#call('mount', from, ROOT + at, null, MountFlag.bind, null);
    const flags = MountFlag.remount | MountFlag.bind | MountFlag.readOnly | restrictions;
    this.#call('mount', null, ROOT + at, null, flags, null);
  }

  #enter(): void {
    this.#call('chdir', ROOT);
    this.#call('pivot_root', '.', '.');
    this.#call('umount2', '.', MNT_DETACH);
    this.#call('chdir', '/');
  }

  #call(...args: Parameters<RemoteTask['call']>): void {
    this.#task.call(...args);
  }
}
