/** Calls on paths, and on the files that descriptors stand for. */
import { ALWAYS, type Details, type Shape, shape, type Taken } from './shape.ts';

const OPENS: Details = { opens: true, creates: true };
const OR_FOLDER: Details = { orFolder: true };
const ELSEWHERE: Taken = { into: 'elsewhere' };
const MOVES: Details = { position: ALWAYS };
/** preadv2 and pwritev2 go by the position of the file if their offset is -1. */
const MOVES_IF_ASKED: Details = { position: { argument: 3, value: -1 } };

const NAMED: Readonly<Record<string, Shape>> = {
  open: shape('path number number', OPENS),
  creat: shape('path number', OPENS),
  openat: shape('folder path number number', OPENS),
  // The flags are in struct open_how.
  openat2: shape('folder path address number', { ...OPENS, data: { at: 2, size: 24 } }),
  truncate: shape('path number'),
  chdir: shape('path'),
  chroot: shape('path'),
  stat: shape('path address'),
  lstat: shape('path address'),
  newfstatat: shape('folder path address number', OR_FOLDER),
  statx: shape('folder path number number address', OR_FOLDER),
  access: shape('path number'),
  faccessat: shape('folder path number'),
  faccessat2: shape('folder path number number', OR_FOLDER),
  readlink: shape('path address number'),
  readlinkat: shape('folder path address number', OR_FOLDER),
  execve: shape('path address address'),
  execveat: shape('folder path address address number', OR_FOLDER),
  unlink: shape('path'),
  unlinkat: shape('folder path number'),
  rmdir: shape('path'),
  mkdir: shape('path number'),
  mkdirat: shape('folder path number'),
  mknod: shape('path number number'),
  mknodat: shape('folder path number number'),
  rename: shape('path path'),
  renameat: shape('folder path folder path'),
  renameat2: shape('folder path folder path number'),
  link: shape('path path'),
  linkat: shape('folder path folder path number', OR_FOLDER),
  symlink: shape('text path'),
  symlinkat: shape('text folder path'),
  chmod: shape('path number'),
  fchmodat: shape('folder path number'),
  fchmodat2: shape('folder path number number', OR_FOLDER),
  chown: shape('path number number'),
  lchown: shape('path number number'),
  fchownat: shape('folder path number number number', OR_FOLDER),
  utime: shape('path address'),
  utimes: shape('path address'),
  futimesat: shape('folder path address', OR_FOLDER),
  utimensat: shape('folder path address number', OR_FOLDER),
  setxattr: shape('path address address number number'),
  lsetxattr: shape('path address address number number'),
  getxattr: shape('path address address number'),
  lgetxattr: shape('path address address number'),
  listxattr: shape('path address number'),
  llistxattr: shape('path address number'),
  removexattr: shape('path address'),
  lremovexattr: shape('path address'),
  inotify_add_watch: shape('file path number'),
  mount: shape('address path address number address'),
  umount2: shape('path number'),
  pivot_root: shape('path path'),
};

const OPEN: Readonly<Record<string, Shape>> = {
  read: shape('file address number', { ...MOVES, takes: { into: 'buffer' } }),
  readv: shape('file address number', { ...MOVES, takes: { into: 'vectors' } }),
  write: shape('file address number', { ...MOVES, gives: { into: 'buffer' } }),
  writev: shape('file address number', { ...MOVES, gives: { into: 'vectors' } }),
  lseek: shape('file number number', MOVES),
  getdents: shape('file address number', MOVES),
  getdents64: shape('file address number', MOVES),
  pread64: shape('file address number number'),
  preadv: shape('file address number number number'),
  preadv2: shape('file address number number number number', MOVES_IF_ASKED),
  pwrite64: shape('file address number number'),
  pwritev: shape('file address number number number'),
  pwritev2: shape('file address number number number number', MOVES_IF_ASKED),
  sendfile: shape('file file address number', { ...MOVES, takes: ELSEWHERE }),
  splice: shape('file address file address number number', {
    position: { argument: 1, value: 0 },
    takes: ELSEWHERE,
  }),
  tee: shape('file file number number'),
  copy_file_range: shape('file address file address number number', {
    position: { argument: 1, value: 0 },
  }),
  vmsplice: shape('file address number number', { takes: ELSEWHERE }),
  ftruncate: shape('file number'),
  fallocate: shape('file number number number'),
  ioctl: shape('file number'),
  fstat: shape('file address'),
  fchdir: shape('file'),
  fchmod: shape('file number'),
  fchown: shape('file number number'),
  flock: shape('file number'),
  fsetxattr: shape('file address address number number'),
  fgetxattr: shape('file address address number'),
  flistxattr: shape('file address number'),
  fremovexattr: shape('file address'),
  // MAP_ANONYMOUS: no file.
  mmap: shape('address number number number file number', {
    skipped: { argument: 3, ifAnyBit: 0x20 },
    addressResult: true,
  }),
};

export const FILE_CALLS: Readonly<Record<string, Shape>> = { ...NAMED, ...OPEN };
