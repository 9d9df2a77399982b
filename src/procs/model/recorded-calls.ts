/**
 * Which system calls the recorder stops at, and what of them is worth keeping: which arguments
 * are paths (with the directory fd they are relative to), which are file descriptors, and whether
 * the result is one.
 *
 *   newfstatat(dirfd, path, buffer, flags)     pathAt([[0, 1]], [2])
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
  /**
   * Indexes of further arguments that are addresses. They differ from run to run and say nothing
   * by themselves, so they are recorded as 0, as those of paths are.
   */
  addresses: readonly number[];
}

type Shape = Omit<RecordedCall, 'name'>;

const path = (at: readonly number[], addresses: readonly number[] = []): Shape => ({
  paths: at.map((index) => ({ at: index })),
  addresses,
});
const pathAt = (
  pairs: readonly [directory: number, at: number][],
  addresses: readonly number[] = [],
): Shape => ({ paths: pairs.map(([directory, at]) => ({ at, directory })), addresses });
const file = (index: number, addresses: readonly number[] = []): Shape => ({
  paths: [],
  file: index,
  addresses,
});
const plain = (addresses: readonly number[]): Shape => ({ paths: [], addresses });

const CALLS: Readonly<Record<string, Shape>> = {
  open: { ...path([0]), opens: true },
  creat: { ...path([0]), opens: true },
  openat: { ...pathAt([[0, 1]]), opens: true },
  openat2: { ...pathAt([[0, 1]], [2]), opens: true },
  read: file(0, [1]),
  pread64: file(0, [1]),
  readv: file(0, [1]),
  preadv: file(0, [1]),
  getdents64: file(0, [1]),
  write: file(0, [1]),
  pwrite64: file(0, [1]),
  writev: file(0, [1]),
  pwritev: file(0, [1]),
  sendto: file(0, [1, 4]),
  sendmsg: file(0, [1]),
  recvfrom: file(0, [1, 4, 5]),
  recvmsg: file(0, [1]),
  sendmmsg: file(0, [1]),
  recvmmsg: file(0, [1, 4]),
  preadv2: file(0, [1]),
  pwritev2: file(0, [1]),
  ftruncate: file(0),
  truncate: path([0]),
  chdir: path([0]),
  fchdir: file(0),
  flock: file(0),
  fcntl: file(0, [2]),
  chroot: path([0]),
  stat: path([0], [1]),
  lstat: path([0], [1]),
  newfstatat: pathAt([[0, 1]], [2]),
  statx: pathAt([[0, 1]], [4]),
  access: path([0]),
  faccessat: pathAt([[0, 1]]),
  faccessat2: pathAt([[0, 1]]),
  readlink: path([0], [1]),
  readlinkat: pathAt([[0, 1]], [2]),
  execve: path([0], [1, 2]),
  execveat: pathAt([[0, 1]], [2, 3]),
  unlink: path([0]),
  unlinkat: pathAt([[0, 1]]),
  rmdir: path([0]),
  mkdir: path([0]),
  mkdirat: pathAt([[0, 1]]),
  rename: path([0, 1]),
  renameat: pathAt([
    [0, 1],
    [2, 3],
  ]),
  renameat2: pathAt([
    [0, 1],
    [2, 3],
  ]),
  link: path([0, 1]),
  linkat: pathAt([
    [0, 1],
    [2, 3],
  ]),
  symlink: path([1], [0]),
  symlinkat: pathAt([[1, 2]], [0]),
  chmod: path([0]),
  fchmod: file(0),
  fchmodat: pathAt([[0, 1]]),
  chown: path([0]),
  fchownat: pathAt([[0, 1]]),
  kill: plain([]),
  tkill: plain([]),
  tgkill: plain([]),
  rt_sigqueueinfo: plain([2]),
  rt_sigtimedwait: plain([0, 1, 2]),
  wait4: plain([1, 3]),
  waitid: plain([2, 4]),
};

const BY_NUMBER = new Map<number, RecordedCall>(
  Object.entries(CALLS).map(([name, shape]) => [syscallNumber(name), { name, ...shape }]),
);

export const RECORDED_NUMBERS: readonly number[] = [...BY_NUMBER.keys()];

export function recordedCall(number: number): RecordedCall | undefined {
  return BY_NUMBER.get(number);
}

const ADDRESSES = new Map<number, ReadonlySet<number>>(
  [...BY_NUMBER].map(([number, { paths, addresses }]) => [
    number,
    new Set([...paths.map(({ at }) => at), ...addresses]),
  ]),
);

/** The arguments of a recorded call, with 0 for the addresses among them. */
export function keptArguments(number: number, args: readonly number[]): number[] {
  const addresses = ADDRESSES.get(number);
  return args.map((arg, index) => (addresses?.has(index) ? 0 : arg));
}
