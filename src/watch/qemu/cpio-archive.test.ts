import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CpioArchive } from './cpio-archive.ts';

interface Unpacked {
  name: string;
  mode: number;
  contents: string;
  device: [number, number];
}

/** Reads an archive as the kernel does: entries, each at a multiple of four, until the trailer. */
function unpacked(archive: Uint8Array): Unpacked[] {
  const bytes = Buffer.from(archive);
  const entries: Unpacked[] = [];
  for (let at = 0; ; ) {
    expect(at % 4).toBe(0);
    expect(bytes.toString('latin1', at, at + 6)).toBe('070701');
    const field = (which: number): number =>
      Number.parseInt(bytes.toString('latin1', at + 6 + which * 8, at + 14 + which * 8), 16);
    const [mode, size, nameSize] = [field(1), field(6), field(11)];
    const nameEnd = at + 110 + nameSize - 1;
    expect(bytes[nameEnd]).toBe(0);
    const name = bytes.toString('utf8', at + 110, nameEnd);
    const from = (nameEnd + 1 + 3) & ~3;
    if (name === 'TRAILER!!!') {
      expect(bytes.length).toBe(from);
      return entries;
    }
    const contents = bytes.toString('latin1', from, from + size);
    entries.push({ name, mode, contents, device: [field(9), field(10)] });
    at = (from + size + 3) & ~3;
  }
}

test('holds files, links and devices, with the folders that they are in', () => {
  const archive = new CpioArchive();
  archive.file('/bin/busybox', 'ELF', 0o755);
  archive.link('/bin/sh', 'busybox');
  archive.folder('bin');
  archive.characterDevice('dev/console', 5, 1);
  const device: [number, number] = [0, 0];
  expect(unpacked(archive.bytes())).toEqual([
    { name: 'bin', mode: 0o040755, contents: '', device },
    { name: 'bin/busybox', mode: 0o100755, contents: 'ELF', device },
    { name: 'bin/sh', mode: 0o120777, contents: 'busybox', device },
    { name: 'dev', mode: 0o040755, contents: '', device },
    { name: 'dev/console', mode: 0o020600, contents: '', device: [5, 1] },
  ]);
});

test('gives back whatever was put in', () => {
  const name = fc.stringMatching(/^[a-zäß €]{1,12}$/);
  const files = fc.dictionary(name, fc.uint8Array({ maxLength: 20 }), { noNullPrototype: true });
  fc.assert(
    fc.property(files, (wanted) => {
      const archive = new CpioArchive();
      for (const [path, contents] of Object.entries(wanted)) archive.file(path, contents);
      const found = unpacked(archive.bytes()).map(({ name, contents }) => [name, contents]);
      const put = Object.entries(wanted).map(([path, contents]) => [
        path,
        Buffer.from(contents).toString('latin1'),
      ]);
      expect(found).toEqual(put);
    }),
  );
});

test.each(['', '/', 'a/../b', 'a//b', './a', 'a\0b'])('takes no path like %j', (path) => {
  expect(() => new CpioArchive().file(path, '')).toThrow('a path in the guest');
});

test('takes no file twice', () => {
  const archive = new CpioArchive();
  archive.file('a', '1');
  expect(() => archive.file('/a', '2')).toThrow('put in twice: a');
});
