/**
 * Which system calls the recorder stops at, and what of them is worth keeping: which arguments
 * are paths (with the directory fd they are relative to), which are file descriptors, and whether
 * the result is one.
 *
 *   renameat2(olddirfd, oldpath, newdirfd, newpath, flags)
 *   renameat2: { paths: [{ at: 1, directory: 0 }, { at: 3, directory: 2 }] }
 */
import { syscallNumber } from '../../linux/syscalls.ts';

interface PathArgument {
  /** Index of the argument that points to the path. */
  at: number;
  /** Index of the argument with the directory's fd; absent for paths relative to the cwd. */
  directory?: number;
}

export interface RecordedCall {
  name: string;
  paths: readonly PathArgument[];
  /** Index of the argument that is an open file. */
  file?: number;
  /** The result is a new file descriptor. */
  opens?: true;
}

const path = (...at: number[]): Omit<RecordedCall, 'name'> => ({
  paths: at.map((index) => ({ at: index })),
});
const pathAt = (...pairs: [directory: number, at: number][]): Omit<RecordedCall, 'name'> => ({
  paths: pairs.map(([directory, at]) => ({ at, directory })),
});
const file = (index: number): Omit<RecordedCall, 'name'> => ({ paths: [], file: index });
const plain: Omit<RecordedCall, 'name'> = { paths: [] };

const CALLS: Readonly<Record<string, Omit<RecordedCall, 'name'>>> = {
  open: { ...path(0), opens: true },
  creat: { ...path(0), opens: true },
  openat: { ...pathAt([0, 1]), opens: true },
  openat2: { ...pathAt([0, 1]), opens: true },
  read: file(0),
  pread64: file(0),
  readv: file(0),
  preadv: file(0),
  getdents64: file(0),
  write: file(0),
  pwrite64: file(0),
  writev: file(0),
  pwritev: file(0),
  ftruncate: file(0),
  truncate: path(0),
  stat: path(0),
  lstat: path(0),
  newfstatat: pathAt([0, 1]),
  statx: pathAt([0, 1]),
  access: path(0),
  faccessat: pathAt([0, 1]),
  faccessat2: pathAt([0, 1]),
  readlink: path(0),
  readlinkat: pathAt([0, 1]),
  execve: path(0),
  execveat: pathAt([0, 1]),
  unlink: path(0),
  unlinkat: pathAt([0, 1]),
  rmdir: path(0),
  mkdir: path(0),
  mkdirat: pathAt([0, 1]),
  rename: path(0, 1),
  renameat: pathAt([0, 1], [2, 3]),
  renameat2: pathAt([0, 1], [2, 3]),
  link: path(0, 1),
  linkat: pathAt([0, 1], [2, 3]),
  symlink: path(1),
  symlinkat: pathAt([1, 2]),
  chmod: path(0),
  fchmod: file(0),
  fchmodat: pathAt([0, 1]),
  chown: path(0),
  fchownat: pathAt([0, 1]),
  wait4: plain,
  waitid: plain,
};

const BY_NUMBER = new Map<number, RecordedCall>(
  Object.entries(CALLS).map(([name, shape]) => [syscallNumber(name), { name, ...shape }]),
);

export const RECORDED_NUMBERS: readonly number[] = [...BY_NUMBER.keys()];

export function recordedCall(number: number): RecordedCall | undefined {
  return BY_NUMBER.get(number);
}
