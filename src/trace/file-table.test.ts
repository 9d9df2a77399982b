import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ColumnReader } from './column-reader.ts';
import { decodeFiles, FileCollector, fileTableWidth } from './file-table.ts';
import type { KernelFile } from './records/kernel-file.ts';

const file = fc.record({
  id: fc.constantFrom(0, -0x777f00000000, -0x777f00000100),
  device: fc.constantFrom(1, 2),
  inode: fc.oneof(fc.nat(3), fc.nat(5000)),
  mode: fc.constantFrom(0o040644, 0o100644),
});

const numberIn = (collector: FileCollector, { id, device, inode, mode }: KernelFile): number =>
  collector.numberOf(id, device, inode, mode);

it('finds the same files under the numbers it gave', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 200 }), (files) => {
      const collector = new FileCollector(files.length + 1);
      const numbers = files.map((mentioned) => numberIn(collector, mentioned));
      const { table, count } = collector.take();
      const stored = decodeFiles(new ColumnReader(table, 0, fileTableWidth), count);
      expect(numbers.map((number) => stored[number - 1])).toEqual(files);
    }),
  );
});

it('stores a file once, however often it is mentioned, and starts anew after each table', () => {
  const collector = new FileCollector(10);
  const log = { id: 0, device: 1, inode: 7, mode: 0o100644 };
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 100; i++) expect(numberIn(collector, { ...log })).toBe(1);
    expect(collector.take().count).toBe(1);
  }
});
