import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readKernelFile } from '../src/watch/kernel/kernel-file.ts';
import { kallsymsImage } from '../src/watch/kernel/testdata/kallsyms-image.ts';
import { scratchFolder } from './harness/scratch.ts';

const TEXT = 0xffffffff81000000n;

/** An ELF file that begins where kernels do. */
function vmlinux(folder: string): string {
  const [source, path] = [join(folder, 'kernel.c'), join(folder, 'vmlinux')];
  writeFileSync(
    source,
    'int shared = 1; static int local(void) { return shared; } int _start(void) { return local(); }',
  );
  const kind = ['-O0', '-nostdlib', '-static', '-no-pie', '-fno-pic', '-mcmodel=kernel'];
  execFileSync('cc', [...kind, `-Wl,-Ttext=0x${TEXT.toString(16)}`, '-o', path, source]);
  return path;
}

it('has the symbols of a vmlinux', () => {
  const symbols = readKernelFile(vmlinux(scratchFolder()));
  const named = (name: string) => symbols.find((one) => one.name === name);
  expect(named('local')?.type).toBe('t');
  expect(named('_start')?.type).toBe('T');
  expect(named('shared')?.type).toBe('D');
  expect(named('local')!.address).toBeGreaterThanOrEqual(TEXT);
});

it('has those of a vmlinuz, which are in its kallsyms', () => {
  const folder = scratchFolder();
  const elf = vmlinux(folder);
  execFileSync('strip', [elf]);
  const known = Array.from({ length: 1200 }, (_, index) => ({
    name: `function_${index}`,
    type: 'T',
    address: TEXT + BigInt(16 * index),
  }));
  const options = { isNew: true, hasPerProcessor: false, base: TEXT, around: new Uint8Array(64) };
  // Where in the file it is does not matter, but that it is aligned.
  const bytes = readFileSync(elf);
  const padding = Buffer.alloc(-bytes.length & 7);
  const payload = gzipSync(Buffer.concat([bytes, padding, kallsymsImage(known, options)]));
  const start = Buffer.alloc(1024);
  start.writeUInt8(1, 0x1f1);
  start.write('HdrS', 0x202);
  start.writeUInt32LE(0, 0x248);
  start.writeUInt32LE(payload.length, 0x24c);
  const path = join(folder, 'vmlinuz');
  writeFileSync(path, Buffer.concat([start, payload]));
  expect(readKernelFile(path)).toEqual(known);
});

it('says why a file has none', () => {
  const folder = scratchFolder();
  expect(() => readKernelFile(join(folder, 'missing'))).toThrow('ENOENT');
  const empty = join(folder, 'System.map');
  writeFileSync(empty, '');
  expect(() => readKernelFile(empty)).toThrow('it has no symbols of a kernel');
  const stripped = vmlinux(folder);
  execFileSync('strip', [stripped]);
  expect(() => readKernelFile(stripped)).toThrow('it was stripped');
});
