/** A kernel to boot under QEMU: one of the running system's, or one from a package that was unpacked for us. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Result, tryTo } from '../../base/result.ts';
import { unpackedKernel } from '../../watch/qemu/guest-parts.ts';
import { type KernelImage, readKernelImage } from '../../watch/qemu/kernel-image.ts';
import { missing, type Probe, works } from '../probe.ts';
import { FETCH } from './qemu.ts';

const BOOT = '/boot';

export const kernelImageProbe: Probe = {
  name: 'kernel image',
  usedBy: 'watch on kernels (--qemu)',
  needed: 'a Linux kernel that QEMU can boot; debug information names its lines',
  run() {
    const installed = imagesIn(BOOT).map((path) => tryTo(() => readKernelImage(path)));
    const unpacked = tryTo(unpackedKernel);
    const found = [...installed, unpacked];
    const readable = found.flatMap((image) => (image.ok && image.value ? [image.value] : []));
    if (readable.length > 0) return works(readable.map(describe).join('; '));
    const complaints = found.flatMap(complaintOf);
    if (complaints.length === 0) return missing(`none in ${BOOT}, and none was fetched`, FETCH);
    return missing(complaints.join('; '), FETCH);
  },
};

function imagesIn(folder: string): string[] {
  const names = tryTo(() => readdirSync(folder));
  if (!names.ok) return [];
  return names.value.filter((name) => name.startsWith('vmlinuz')).map((name) => join(folder, name));
}

function describe({ path, release }: KernelImage): string {
  const root = '/usr/lib/debug';
  const places = [
    join(root, 'boot', `vmlinux-${release}`),
    join(root, 'lib/modules', release, 'vmlinux'),
  ];
  const debugFile = places.find((place) => existsSync(place));
  const debugInfo = debugFile ? `debug information in ${debugFile}` : 'no debug information';
  return `${path} is Linux ${release}, ${debugInfo}`;
}

const complaintOf = (image: Result<KernelImage | undefined>): string[] =>
  image.ok ? [] : [image.error.message];
