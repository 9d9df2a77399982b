import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileAt, readProcFile } from './proc-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-proc-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a look at /proc', () => {
  it('finds what node:fs finds, whatever kind of file it is', () => {
    const long = join(folder, 'file');
    writeFileSync(long, 'x');
    for (const path of [long, folder, '/dev/null', '/proc/self/status', '/sys', '/dev/shm']) {
      const fd = openSync(path, 'r');
      const { dev: device, ino: inode, mode } = statSync(path);
      expect(fileAt(`/proc/self/fd/${fd}`)).toEqual({ device, inode, mode });
      closeSync(fd);
    }
  });

  it('finds nothing where nothing is', () => {
    expect(fileAt('/proc/self/fd/1000000')).toBeUndefined();
    expect(readProcFile('/proc/0/status')).toBeUndefined();
  });

  it('is not misled by the longer path of the look before', () => {
    expect(fileAt('/proc/self/task/../fdinfo/../cwd')?.inode).toBe(statSync('.').ino);
    expect(fileAt('/proc')?.inode).toBe(statSync('/proc').ino);
  });

  it('reads files to their end, also long ones, or as much as is asked for', () => {
    const long = join(folder, 'long');
    const contents = Buffer.alloc(50_001, 'deadheat');
    writeFileSync(long, contents);
    expect(readProcFile(long)?.equals(contents)).toBe(true);
    expect(readProcFile(long, 20_000)?.equals(contents.subarray(0, 20_000))).toBe(true);
    expect(readProcFile(long, 7)?.toString()).toBe('deadhea');
    expect(readProcFile('/proc/version')?.equals(readFileSync('/proc/version'))).toBe(true);
  });
});
