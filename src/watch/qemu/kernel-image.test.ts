import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder } from '../../binary/testdata/compiled.ts';
import { readKernelImage, releaseIn } from './kernel-image.ts';

function head(): Buffer {
  const bytes = Buffer.alloc(0x1000);
  bytes.write('HdrS', 0x202);
  bytes.writeUInt16LE(0x400, 0x20e);
  bytes.write('6.1.0-50-amd64 (somebody@debian.org) #1 SMP', 0x600);
  return bytes;
}

test('has a release, and modules beside it', () => {
  const folder = scratchFolder();
  for (const name of ['boot', 'usr/lib/modules/6.1.0-50-amd64']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const path = join(folder, 'boot/vmlinuz');
  writeFileSync(path, head());
  const modules = join(folder, 'usr/lib/modules/6.1.0-50-amd64');
  expect(readKernelImage(path)).toEqual({ path, release: '6.1.0-50-amd64', modules });
});

test('is not taken for one, whatever it is', () => {
  const folder = scratchFolder();
  const path = join(folder, 'vmlinux');
  writeFileSync(path, 'ELF');
  expect(() => readKernelImage(path)).toThrow('is not a Linux kernel that can be booted');
  expect(() => readKernelImage(folder)).toThrow('cannot read the kernel');
  expect(() => readKernelImage(join(folder, 'none'))).toThrow('ENOENT');
  for (let length = 0; length < 0x1000; length += 7) releaseIn(head().subarray(0, length));
  const beyond = head();
  beyond.writeUInt16LE(0xffff, 0x20e);
  expect(releaseIn(beyond)).toBeUndefined();
});
