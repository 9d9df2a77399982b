/**
 * What a guest is made of, as sets of Debian packages; each is fetched and unpacked by itself.
 *
 *   emulator   qemu-system-x86, and those of the packages it needs that are not installed
 *   busybox    busybox-static: the guest's programs
 *   kernel     the package that linux-image-amd64 stands for; of it the kernel, and what a virtual serial port takes
 *   headers    what building modules for this kernel takes, but for the compiler
 *
 * A set has a name for what it holds, and a new one when Debian has a new version of anything in it:
 *
 *   kernel-6.1.176-1-c5d1b0f2
 */
import { createHash } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { type DebianFile, dependenciesOf, filesOf, missingFor } from './apt.ts';

export const SETS = ['emulator', 'busybox', 'kernel', 'headers'] as const;
export type SetName = (typeof SETS)[number];

export interface PackageSet {
  readonly set: SetName;
  /** Of the folder it is unpacked to. */
  readonly folder: string;
  readonly packages: readonly string[];
  readonly bytes: number;
}

/** Of the kernel's 400 MB: itself, and the modules of virtual-serial-port.ts, in /lib or in /usr/lib. */
const PARTS_OF_KERNEL = [
  './boot/vmlinuz-*',
  './*lib/modules/*/kernel/drivers/virtio/virtio*.ko*',
  './*lib/modules/*/kernel/drivers/char/virtio_console.ko*',
];

/** Patterns, as for tar, of what is unpacked; undefined for everything. */
export const partsOf = (set: SetName): readonly string[] | undefined =>
  set === 'kernel' ? PARTS_OF_KERNEL : undefined;

/** What Debian has now. */
export function currentSet(set: SetName): PackageSet {
  const packages = packagesOf(set);
  const files = filesOf(packages);
  return {
    set,
    folder: folderName(set, files),
    packages,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  };
}

function packagesOf(set: SetName): string[] {
  switch (set) {
    case 'emulator':
      return missingFor('qemu-system-x86');
    case 'busybox':
      return ['busybox-static'];
    case 'kernel':
      return kernelPackages();
    case 'headers': {
      const headers = dependenciesOf('linux-headers-amd64').filter(isOfKernel);
      const needed = headers.flatMap(dependenciesOf).filter(isOfKernel);
      // Checks and completes what the compiler made; linked with libelf.
      const kbuild = needed.filter((name) => name.startsWith('linux-kbuild-'));
      const libraries = kbuild.flatMap(dependenciesOf).filter((name) => name.startsWith('libelf'));
      return [...new Set([...headers, ...needed, ...libraries])];
    }
  }
}

const kernelPackages = (): string[] => dependenciesOf('linux-image-amd64').filter(isOfKernel);

const isOfKernel = (name: string): boolean => /^linux-(image|headers|kbuild|compiler)-/.test(name);

/** The version is that of the first file of the set's own. */
export function folderName(set: SetName, files: readonly DebianFile[]): string {
  const names = files.map(({ file }) => file).sort();
  const own = {
    emulator: 'qemu-system-x86_',
    busybox: 'busybox',
    kernel: 'linux-image',
    headers: 'linux-headers',
  };
  const main = names.find((name) => name.startsWith(own[set]));
  assert(main !== undefined, `no package of its own in ${set}: ${names.join(' ')}`);
  const version = decodeURIComponent(main.split('_')[1]!).replace(/[^\w.+~-]/g, '.');
  const hash = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 8);
  return `${set}-${version}-${hash}`;
}
