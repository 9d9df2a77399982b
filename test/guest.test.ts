/** A real kernel in QEMU, from the packages that the set-up has fetched. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { startGuest } from '../src/watch/qemu/guest.ts';
import { scratchFolder } from './harness/scratch.ts';

const MODULE = fileURLToPath(new URL('guest/greeting.c', import.meta.url));

const HANGS_MS = 120_000;

/** What has this folder's name in its command line. */
const processesOf = (folder: string): string =>
  spawnSync('pgrep', ['-f', folder], { encoding: 'utf8' }).stdout;

describe('a guest', () => {
  it('has a module of ours and its symbols, runs a workload on both processors, and is gone at the end', async () => {
    const folder = scratchFolder();
    const program = join(folder, 'program');
    writeFileSync(
      program,
      '#!/bin/sh\necho "a file of the user\'s on $PROCESSOR, $(cut -d" " -f39 /proc/self/stat)"\n',
    );
    chmodSync(program, 0o755);
    const consoleFile = join(folder, 'console');
    const guest = await startGuest({
      modules: [MODULE],
      files: [program],
      consoleFile,
      workload: 'program > /dev/console; exit $((3 * PROCESSOR))',
    });
    const own = dirname(guest.debugSocket);
    try {
      const symbols = readFileSync(guest.symbols, 'utf8');
      expect(symbols).toMatch(/^ffffffff[0-9a-f]{8} t greet_from_module\t\[guest_greeting\]$/m);
      expect(symbols).toMatch(/^ffffffff[0-9a-f]{8} T vfs_read$/m);
      expect(readFileSync(consoleFile, 'utf8')).toContain('greetings from the module');
      expect(readFileSync(consoleFile, 'utf8')).not.toContain('a file of the user');
      guest.start();
      expect(await guest.ended).toEqual({ status: 3 });
      for (const processor of [0, 1]) {
        const line = `a file of the user's on ${processor}, ${processor}`;
        // The console is another, slower line than that by which the guest tells of the end.
        await vi.waitFor(() => expect(readFileSync(consoleFile, 'utf8')).toContain(line), HANGS_MS);
      }
      expect(processesOf(own)).not.toBe('');
    } finally {
      await guest.end();
    }
    expect(processesOf(own)).toBe('');
    expect(existsSync(own)).toBe(false);
  });

  it('says which module it cannot load', async () => {
    const notAModule = join(scratchFolder(), 'nothing.ko');
    writeFileSync(notAModule, 'nothing');
    await expect(startGuest({ modules: [notAModule] })).rejects.toThrow(
      /the guest does not start: insmod: .*nothing\.ko/,
    );
  });

  it('says that it has ended, such as for want of memory', async () => {
    await expect(startGuest({ memoryMegabytes: 16 })).rejects.toThrow('the guest has ended');
  });

  it('is refused with a reason before it starts', async () => {
    const folder = scratchFolder();
    const broken = join(folder, 'broken.c');
    writeFileSync(broken, 'this is no C');
    await expect(startGuest({ modules: [broken] })).rejects.toThrow(/broken\.c:1:1: error/);
    const missing = join(folder, 'missing');
    await expect(startGuest({ files: [missing] })).rejects.toThrow(/cannot read .*missing: ENOENT/);
    await expect(startGuest({ kernelImage: broken })).rejects.toThrow('not a Linux kernel');
  });
});
