import { expect, it } from 'vitest';
import { callRecord } from '../testdata/records.ts';
import { OpenFiles } from './open-files.ts';
import { OpenFlag } from './open-flags.ts';

const [F_DUPFD, F_SETFL] = [0, 4];
const file = (id: number) => ({ id, device: 1, inode: 5, mode: 0o100644 });
const opening = (id: number, flags = 0) =>
  callRecord(1, 'openat', '/f', { args: [-100, 0, flags], result: 3, file2: file(id) });

it('tells open files apart that have the same number one after the other', () => {
  const files = new OpenFiles();
  files.note(opening(8));
  const first = files.of(file(8))?.key;
  expect(files.of(file(8))?.key).toBe(first);
  files.note(opening(8));
  expect(files.of(file(8))?.key).not.toBe(first);
});

it('knows one that is opened once more, and ones that it cannot tell apart', () => {
  const files = new OpenFiles();
  files.note(opening(8));
  const { key } = files.of(file(8))!;
  files.note(callRecord(1, 'dup', undefined, { file: file(8), file2: file(8), result: 4 }));
  const duplicated = { args: [3, F_DUPFD], file: file(8), file2: file(8), result: 4 };
  files.note(callRecord(1, 'fcntl', undefined, duplicated));
  expect(files.of(file(8))?.key).toBe(key);
  expect(files.of(file(0))).toBeUndefined();
  expect(files.of(file(9))?.key).toBeDefined();
});

it('knows who appends', () => {
  const files = new OpenFiles();
  files.note(opening(8, OpenFlag.O_APPEND));
  expect(files.of(file(8))?.appends).toBe(true);
  files.note(callRecord(1, 'fcntl', undefined, { args: [3, F_SETFL, 0], file: file(8) }));
  expect(files.of(file(8))?.appends).toBe(false);
  files.note(opening(8, OpenFlag.O_APPEND));
  files.note({ ...opening(8), result: -2 });
  expect(files.of(file(8))?.appends).toBe(true);
});
