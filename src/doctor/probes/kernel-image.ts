/**
 * A kernel to boot under QEMU. An image is recognised by what a boot loader looks at (the kernel's
 * Documentation/arch/x86/boot.rst): `HdrS` at 0x202, and at 0x20e a pointer to its version text.
 */
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Result, tryTo } from '../../base/result.ts';
import { errorCode } from '../error-code.ts';
import { missing, type Probe, works } from '../probe.ts';

const MAGIC_AT = 0x202;
const MAGIC = 'HdrS';
const VERSION_POINTER_AT = 0x20e;
const VERSION_BASE = 0x200;
const HEAD_SIZE = 0x1_0000 + VERSION_BASE;

interface Image {
  path: string;
  version: string;
}

export const kernelImageProbe: Probe = {
  name: 'kernel image',
  usedBy: 'watch on kernels (--gdb)',
  needed: 'a Linux kernel that QEMU can boot; debug information names its lines',
  run() {
    const candidates = imageFolders().flatMap(imagesIn);
    const images = candidates.map((path) => ({ path, image: tryTo(() => readImage(path)) }));
    const readable = images.flatMap(({ image }) => (image.ok ? [image.value] : []));
    if (readable.length > 0) return works(readable.map(describe).join('; '));
    if (images.length === 0) return missing(`none in ${imageFolders().join(', ')}`, unpackRemedy());
    const found = images.map(({ path, image }) => `${path}: ${reason(image)}`).join('; ');
    return missing(
      found,
      `let it be read: \`sudo chmod +r ${candidates[0]}\`; or ${unpackRemedy()}`,
    );
  },
};

/** Where packages are unpacked for us, instead of being installed over the running kernel. */
function unpackFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'deadheat', 'kernel');
}

const imageFolders = (): string[] => ['/boot', join(unpackFolder(), 'boot')];

function imagesIn(folder: string): string[] {
  const names = tryTo(() => readdirSync(folder));
  if (!names.ok) return [];
  return names.value.filter((name) => name.startsWith('vmlinuz')).map((name) => join(folder, name));
}

export function readImage(path: string): Image {
  const head = Buffer.alloc(HEAD_SIZE);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  if (head.toString('latin1', MAGIC_AT, MAGIC_AT + MAGIC.length) !== MAGIC) {
    throw new Error('not a bootable x86 kernel');
  }
  const start = head.readUInt16LE(VERSION_POINTER_AT) + VERSION_BASE;
  const text = head.toString('latin1', start, head.indexOf(0, start));
  return { path, version: text.split(' ')[0]! };
}

function describe({ path, version }: Image): string {
  const places = ['/usr/lib/debug', join(unpackFolder(), 'usr/lib/debug')].flatMap((root) => [
    join(root, 'boot', `vmlinux-${version}`),
    join(root, 'lib/modules', version, 'vmlinux'),
  ]);
  const debugFile = places.find((place) => existsSync(place));
  const debugInfo = debugFile ? `debug information in ${debugFile}` : 'no debug information';
  return `${path} is Linux ${version}, ${debugInfo}`;
}

function reason(image: Result<Image>): string {
  return image.ok ? image.value.version : errorCode(image.error);
}

function unpackRemedy(): string {
  const newest = "$(apt-cache depends linux-image-amd64 | awk '/Depends/ {print $2}')";
  return (
    'unpack one without installing it: ' +
    `\`cd $(mktemp -d) && apt-get download ${newest} && mkdir -p ${unpackFolder()} && dpkg-deb -x linux-image-*.deb ${unpackFolder()}\``
  );
}
