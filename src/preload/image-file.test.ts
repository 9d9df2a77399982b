import {
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../base/user-error.ts';
import { readBuildId } from '../binary/elf/build-id.ts';
import { parseElf } from '../binary/elf/elf-file.ts';
import { readImageFile } from './image-file.ts';
import { cannotBeRead, readImage } from './require-preloadable.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deadheat-image-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('what the headers of a file tell', () => {
  it('is what all of it tells', () => {
    const link = join(folder, 'link');
    symlinkSync('/bin/bash', link);
    const bytes = readFileSync(link);
    expect(readImageFile(link)).toMatchObject({
      key: readBuildId(parseElf(bytes)),
      interpreter: '/lib64/ld-linux-x86-64.so.2',
      size: bytes.length,
      path: expect.stringMatching(/\/bin\/bash$/),
    });
  });

  it('is refused if they are cut short, wherever that is', () => {
    const copy = join(folder, 'copy');
    for (const length of [0, 3, 63, 64, 100, 700]) {
      writeFileSync(copy, readFileSync('/bin/bash'));
      truncateSync(copy, length);
      expect(() => readImage(copy, 'trace')).toThrow(
        /cannot trace .*: it is (empty|cut short|not an ELF)/,
      );
    }
  });
});

it('a file that may not be read is something that the user can mend', () => {
  const error = cannotBeRead('/x', Object.assign(new Error('EACCES'), { code: 'EACCES' }), 'trace');
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toMatch(/may not be read/);
  const bug = new Error('ours');
  expect(cannotBeRead('/x', bug, 'trace')).toBe(bug);
});
