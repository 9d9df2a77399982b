/**
 * A kernel as boot loaders take it, a bzImage: after a sector or more of set-up code comes the kernel, compressed. Near
 * its beginning it says so, and where its release is written:
 *
 *   0x202  HdrS
 *   0x20e  0x3cc0, so at 0x200 + 0x3cc0: "6.1.0-50-amd64 (debian-kernel@…) #1 SMP …"
 *
 * Source: Documentation/arch/x86/boot.rst in the kernel's sources.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';

const MAGIC_AT = 0x202;
const MAGIC = 'HdrS';
const VERSION_POINTER_AT = 0x20e;
const VERSION_BASE = 0x200;
/** The set-up code is at most 64 sectors long. */
const HEAD_SIZE = 0x10000;

export interface KernelImage {
  readonly path: string;
  /** As `uname -r` says it in the guest: 6.1.0-50-amd64. */
  readonly release: string;
  /** The folder with its modules, if it is beside the kernel's: lib/modules/6.1.0-50-amd64. */
  readonly modules: string | undefined;
}

export function readKernelImage(path: string): KernelImage {
  const head = tryTo(() => readHead(path));
  const shown = printable(path);
  if (!head.ok) {
    throw new UserError(`cannot read the kernel ${shown}: ${head.error.message}`, 'check the path');
  }
  const release = releaseIn(head.value);
  if (release === undefined) {
    throw new UserError(
      `${shown} is not a Linux kernel that can be booted`,
      'name a bzImage, such as /boot/vmlinuz-…, not a vmlinux',
    );
  }
  return { path, release, modules: modulesOf(path, release) };
}

export function releaseIn(head: Buffer): string | undefined {
  if (head.length < VERSION_POINTER_AT + 2) return undefined;
  if (head.toString('latin1', MAGIC_AT, MAGIC_AT + MAGIC.length) !== MAGIC) return undefined;
  const at = VERSION_BASE + head.readUInt16LE(VERSION_POINTER_AT);
  const text = head.toString('latin1', at, at + 256);
  return /^[\w.+~-]+/.exec(text)?.[0];
}

function readHead(path: string): Buffer {
  const fd = openSync(encodeBytes(path), 'r');
  try {
    const head = Buffer.alloc(HEAD_SIZE);
    return head.subarray(0, readSync(fd, head, 0, HEAD_SIZE, 0));
  } finally {
    closeSync(fd);
  }
}

/** Of boot/vmlinuz-…; newer Debians have them in usr/lib. */
function modulesOf(path: string, release: string): string | undefined {
  const root = dirname(dirname(path));
  const places = ['lib', 'usr/lib'].map((lib) => join(root, lib, 'modules', release));
  return places.find((place) => existsSync(encodeBytes(place)));
}
