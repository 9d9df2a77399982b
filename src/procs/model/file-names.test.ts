import { describe, expect, it } from 'vitest';
import { pid } from '../../linux/ids.ts';
import { callRecord, pipe, SOME_FILE } from '../testdata/records.ts';
import { FileNames } from './file-names.ts';

const AT_FDCWD = -100;
const folder = { ...SOME_FILE, inode: 50, mode: 0o040755 };
const log = { ...SOME_FILE, inode: 60 };
const me = pid(1);

const openat = (path: string, fd: number, details = {}) =>
  callRecord(1, 'openat', path, { args: [fd, 0, 0], result: 3, file: folder, ...details });
const write = (file = log) => callRecord(1, 'write', undefined, { result: 1, file });

describe('names of files', () => {
  it('start at the folder of the process, which its children inherit', () => {
    const names = new FileNames('/home/me');
    names.forked(undefined, me);
    expect(names.of(openat('log', AT_FDCWD), me)).toEqual({ name: '/home/me/log' });
    names.of(callRecord(1, 'chdir', 'src/../lib'), me);
    names.forked(me, pid(2));
    names.of(callRecord(1, 'chdir', '/elsewhere'), me);
    expect(names.of(openat('log', AT_FDCWD), pid(2)).name).toBe('/home/me/lib/log');
    expect(names.of(openat('log', 0xffffff9c), me).name).toBe('/elsewhere/log');
    names.of(callRecord(1, 'chdir', '/nowhere', { result: -2 }), me);
    expect(names.of(openat('log', AT_FDCWD), me).name).toBe('/elsewhere/log');
  });

  it('follow a file to whoever uses it, and a folder to what is opened in it', () => {
    const names = new FileNames('/home/me');
    names.of(openat('log', AT_FDCWD, { file2: log }), me);
    expect(names.of(write(), pid(7)).name).toBe('/home/me/log');
    names.of(openat('/var', AT_FDCWD, { file2: folder }), me);
    expect(names.of(openat('x', 5), me).name).toBe('/var/x');
    names.of(callRecord(1, 'fchdir', undefined, { file: folder }), me);
    expect(names.of(openat('y', AT_FDCWD), me).name).toBe('/var/y');
    names.of(openat('/tmp/log', AT_FDCWD, { file2: log }), me);
    expect(names.of(write(), me).name).toBe('/tmp/log');
  });

  it('have both ends of a rename, and the root of a chroot', () => {
    const names = new FileNames('/home/me');
    const rename = callRecord(1, 'rename', 'a', { path2: '/b/c' });
    expect(names.of(rename, me)).toEqual({ name: '/home/me/a', name2: '/b/c' });
    names.of(callRecord(1, 'chroot', '/jail'), me);
    expect(names.of(openat('/etc/passwd', AT_FDCWD), me).name).toBe('/jail/etc/passwd');
  });

  it('are numbers for what was open before', () => {
    const names = new FileNames('/');
    expect(names.of(write(), me).name).toBe('file:[1:60]');
    expect(names.of(write(pipe(7)), me).name).toBe('pipe:[1:7]');
    expect(names.of(callRecord(1, 'kill', undefined), me)).toEqual({});
  });
});
