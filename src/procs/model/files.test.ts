import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../base/bytes.ts';
import { pid } from '../../linux/ids.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { callRecord, pipe } from '../testdata/records.ts';
import { type CallNames, Files } from './files.ts';
import { isSameFile } from './generations.ts';
import { OpenFlag } from './open-flags.ts';
import type { Thing } from './operation.ts';

const file = (inode: number): KernelFile => ({ id: 0, device: 1, inode, mode: 0o100644 });
const folder = (inode: number): KernelFile => ({ id: 0, device: 1, inode, mode: 0o040755 });
const { O_CREAT, O_TMPFILE, O_DIRECTORY } = OpenFlag;
const AT_FDCWD = -100;

type Details = Parameters<typeof callRecord>[3];

/** Calls of process 1, which began in /home. */
class Names {
  readonly files = new Files('/home');

  call(name: string, path: string | undefined, details: Details = {}, process = 1): CallNames {
    return this.files.of(callRecord(process, name, path, details), pid(process));
  }

  open(path: string, inode: number, details: Details = {}): CallNames {
    return this.call('openat', path, {
      args: [AT_FDCWD],
      result: 3,
      file2: file(inode),
      ...details,
    });
  }

  create(path: string, inode: number): CallNames {
    return this.open(path, inode, { args: [AT_FDCWD, 0, O_CREAT], created: true });
  }

  rename(path: string, path2: string, details: Details = {}): CallNames {
    return this.call('rename', path, { path2, ...details });
  }

  /** What a read of the inode is about. */
  read(inode: number): CallNames {
    return this.call('read', undefined, { file: file(inode), result: 1 });
  }
}

describe('a name', () => {
  it('is absolute, from where the process is', () => {
    const names = new Names();
    expect(names.call('stat', 'a/../b').name).toBe('/home/b');
    expect(names.call('stat', '/x//y').name).toBe('/x/y');
    names.call('chdir', 'src');
    expect(names.call('stat', 'b').name).toBe('/home/src/b');
    names.call('chdir', 'nowhere', { result: -2 });
    expect(names.call('stat', 'b').name).toBe('/home/src/b');
    names.open('/var', 9, { file2: folder(9) });
    names.call('fchdir', undefined, { file: folder(9) });
    expect(names.call('stat', 'b').name).toBe('/var/b');
    names.call('chroot', '/jail');
    expect(names.call('stat', '/b').name).toBe('/jail/b');
  });

  it('of a child starts where its parent was at the fork', () => {
    const names = new Names();
    names.call('chdir', '/a');
    names.files.forked(pid(1), pid(2));
    names.call('chdir', '/b');
    expect(names.call('stat', 'x', {}, 2).name).toBe('/a/x');
    expect(names.call('stat', 'x').name).toBe('/b/x');
  });

  it('may be relative to an open folder, and says so if that is not known', () => {
    const names = new Names();
    names.open('/d', 9, { file2: folder(9) });
    const at9 = { args: [5], file: folder(9) };
    expect(names.call('newfstatat', 'x', at9).name).toBe('/d/x');
    expect(names.call('newfstatat', '/x', at9).name).toBe('/x');
    expect(names.call('newfstatat', 'x', { args: [5] }).name).toBe('?/x');
    // -100 as 32 bits.
    expect(names.call('newfstatat', 'x', { args: [0xffffff9c] }).name).toBe('/home/x');
    const both = { args: [5, 0, 6], path2: 'y', file: folder(9), file2: folder(9) };
    expect(names.call('renameat', 'x', both)).toMatchObject({ name: '/d/x', name2: '/d/y' });
    expect(names.call('mkdirat', 'x', { args: [5], file: folder(77) }).name).toBe(
      'directory:[1:77]/x',
    );
  });

  it('keeps bytes that are not UTF-8', () => {
    const names = new Names();
    const odd = decodeBytes(Buffer.from([0x63, 0xe9]));
    expect(names.open(odd, 5).name).toBe(`/home/${odd}`);
    expect(names.read(5).name).toBe(`/home/${odd}`);
  });

  it('is the number of what was open before, and the kind of what has no number of its own', () => {
    const names = new Names();
    expect(names.read(5).name).toBe('file:[1:5]');
    expect(names.call('read', undefined, { file: pipe(7) }).name).toBe('pipe:[1:7]');
    const event = { id: 3, device: 0, inode: 1, mode: 0 };
    expect(names.call('read', undefined, { file: event }).name).toBe('anonymous');
  });

  it('of an open folder changes when it is renamed', () => {
    const names = new Names();
    names.open('/d', 9, { file2: folder(9) });
    names.rename('/d', '/e');
    expect(names.call('newfstatat', 'x', { args: [5], file: folder(9) }).name).toBe('/e/x');
    names.rename('/e', '/f', { result: -1 });
    expect(names.call('newfstatat', 'x', { args: [5], file: folder(9) }).name).toBe('/e/x');
  });
});

/** The same file, if perhaps a later generation of it. */
const isSame = (a: Thing | undefined, b: Thing | undefined): boolean => isSameFile(a!, b!);

describe('a file', () => {
  it('is the same under all of its names', () => {
    const names = new Names();
    const first = names.create('/a', 5).target;
    expect(names.read(5).target).toBe(first);
    names.rename('/a', '/b');
    expect(isSame(names.call('stat', '/b').target, first)).toBe(true);
    names.call('link', '/b', { path2: '/c' });
    expect(isSame(names.call('stat', '/c').target, first)).toBe(true);
    expect(isSame(names.open('/c', 5).target, first)).toBe(true);
    expect(isSame(names.call('stat', '/a').target, first)).toBe(false);
  });

  it('is the same for one who looked it up and one who opened it later', () => {
    const names = new Names();
    const looked = names.call('stat', '/a').target;
    expect(names.open('/a', 5).target).toBe(looked);
    expect(names.call('truncate', '/a').target).toBe(looked);
  });

  it('is the same for one who opened it while the call that made it was still running', () => {
    const names = new Names();
    const found = names.open('log', 5, { args: [AT_FDCWD, 0, O_CREAT], entry: 12, exit: 13 });
    const made = { args: [AT_FDCWD, 0, O_CREAT], created: true };
    expect(names.open('log', 5, { ...made, entry: 11, exit: 14 }).target).toBe(found.target);
    expect(names.open('log', 5, { ...made, entry: 15, exit: 16 }).target).not.toBe(found.target);
    names.open('log', 6, { entry: 18, exit: 19 });
    names.call('unlink', 'log');
    expect(names.open('log', 6, { ...made, entry: 17, exit: 20 }).target).not.toBe(found.target);
  });

  it('is another one after it was removed and made again, even with the same number', () => {
    const names = new Names();
    const first = names.create('/a', 5).target;
    names.call('unlink', '/a');
    const second = names.create('/a', 5).target;
    expect(second).not.toBe(first);
    expect(names.read(5).target).toBe(second);
    names.call('unlink', '/a');
    names.call('mkdir', '/d');
    const made = names.open('/d', 5, { file2: folder(5) }).target;
    expect(made).not.toBe(second);
    expect(names.open('/d', 5, { file2: folder(5) }).target).toBe(made);
  });

  it('is not the folder in which it was made without a name', () => {
    const names = new Names();
    const dir = names.open('/tmp', 9, { file2: folder(9) }).target;
    const args = [AT_FDCWD, 0, O_TMPFILE | O_DIRECTORY];
    const unnamed = names.open('/tmp', 5, { args });
    expect(unnamed.target).not.toBe(dir);
    expect(names.read(5)).toMatchObject({ name: '/tmp/(no name)', target: unnamed.target });
    expect(names.call('stat', '/tmp').target).toBe(dir);
  });

  it('in memory has the name it was given, and is a new one each time', () => {
    const names = new Names();
    const make = () => names.call('memfd_create', 'x', { result: 3, file2: file(5) });
    make();
    const first = names.read(5);
    expect(first.name).toBe('memfd:x');
    make();
    expect(names.read(5).target).not.toBe(first.target);
  });

  it('changes its name with another', () => {
    const names = new Names();
    const [a, b] = [names.create('/a', 5).target, names.create('/b', 6).target];
    const args = [AT_FDCWD, 0, AT_FDCWD, 0, 2];
    names.call('renameat2', '/a', { path2: '/b', args });
    expect(isSame(names.call('stat', '/a').target, b)).toBe(true);
    expect(isSame(names.call('stat', '/b').target, a)).toBe(true);
  });
});

describe('what a rename replaces', () => {
  const replaces = (prepare: (names: Names) => void): boolean => {
    const names = new Names();
    prepare(names);
    return names.rename('/a', '/b').replaces === true;
  };
  it.each<[string, (names: Names) => void, boolean]>([
    ['is not known at first', () => {}, false],
    ['was created', (names) => names.create('/b', 5), true],
    ['was found', (names) => names.call('stat', '/b'), true],
    ['was in the way', (names) => names.call('mkdir', '/b', { result: -17 }), true],
    [
      'was in the way of a link',
      (names) => names.call('link', '/c', { path2: '/b', result: -17 }),
      true,
    ],
    ['was not found', (names) => names.call('stat', '/b', { result: -2 }), false],
    ['was removed', (names) => [names.create('/b', 5), names.call('unlink', '/b')], false],
    ['went away', (names) => [names.create('/b', 5), names.rename('/b', '/c')], false],
    ['came back', (names) => [names.create('/c', 5), names.rename('/c', '/b')], true],
    [
      'may be in the way of another error',
      (names) => names.call('stat', '/b', { result: -13 }),
      false,
    ],
  ])('%s', (_, prepare, expected) => expect(replaces(prepare)).toBe(expected));
});

it('calls that it has never heard of name nothing', () => {
  const { files } = new Names();
  const bare = { ...callRecord(1, 'read', undefined), number: 500 };
  expect(files.of(bare, pid(1))).toEqual({});
  expect(files.of({ ...bare, path: 'x' }, pid(1)).target).toBeDefined();
});
