/**
 * What each recorded call loads and stores. One line per call; the same call may do different
 * things depending on its flags and on whether it succeeded:
 *
 *   mkdir("obj") = 0        stores the entry obj and the listing of its parent
 *   mkdir("obj") = EEXIST   only loads the entry obj
 */
import { dirname } from 'node:path';
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { CallNames } from './file-names.ts';
import { typeOf } from './file-type.ts';
import { OpenFlag, openFlags } from './open-flags.ts';
import { commuting, load, type Operation, store } from './operation.ts';

/** `path` and `path2` are absolute names. */
type Model = (call: CallRecord, path: string, path2?: string) => Operation[];

const succeeded = (call: CallRecord): boolean => call.result >= 0;

/** A name appears or disappears. */
const changeEntry = (path: string): Operation[] => [
  store('entry', path),
  commuting(store('listing', dirname(path))),
];

/** A call that changes an entry if it succeeds, and has at least looked at it if it fails. */
const change: Model = (call, path) => (succeeded(call) ? changeEntry(path) : [load('entry', path)]);

const look: Model = (_call, path) => [load('entry', path)];

/** Looks at mode, size or owner, if there is something to look at. */
const inspect: Model = (call, path) =>
  succeeded(call) ? [load('entry', path), load('metadata', path)] : [load('entry', path)];

const alter: Model = (call, path) =>
  succeeded(call) ? [load('entry', path), store('metadata', path)] : [load('entry', path)];

/** A transfer of no bytes touches nothing. */
const readBytes: Model = (call, path) =>
  call.result >= 0 && isRegularFile(call) ? [load('contents', path)] : [];
const writeBytes: Model = (call, path) =>
  call.result > 0 && isRegularFile(call) ? [store('contents', path)] : [];

const isRegularFile = ({ file }: CallRecord): boolean =>
  file !== undefined && typeOf(file) === 'file';

/** With O_CREAT and without O_EXCL, it does not matter to the opener whether the file was there. */
const open: Model = (call, path) => {
  if (!succeeded(call)) return [load('entry', path)];
  const flags = openFlags(call);
  const whicheverWay = (flags & (OpenFlag.O_CREAT | OpenFlag.O_EXCL)) === OpenFlag.O_CREAT;
  const [entry, ...listing] = call.created ? changeEntry(path) : [load('entry', path)];
  const truncates = (flags & OpenFlag.O_TRUNC) !== 0 && !call.created;
  return [
    whicheverWay ? commuting(entry!) : entry!,
    ...listing,
    ...(truncates ? [commuting(store('contents', path))] : []),
  ];
};

/** rename(2): the old name goes, the new one comes; what the new one meant before is lost. */
const rename: Model = (call, path, target = path) => {
  if (!succeeded(call)) return [load('entry', path), load('entry', target)];
  return [...changeEntry(path), ...changeEntry(target)];
};

const link: Model = (call, path, target = path) => [load('entry', path), ...change(call, target)];

const MODELS: Readonly<Record<string, Model>> = {
  open,
  creat: open,
  openat: open,
  openat2: open,
  read: readBytes,
  pread64: readBytes,
  readv: readBytes,
  preadv: readBytes,
  preadv2: readBytes,
  write: writeBytes,
  pwrite64: writeBytes,
  writev: writeBytes,
  pwritev: writeBytes,
  pwritev2: writeBytes,
  ftruncate: (call, path) => (succeeded(call) ? [store('contents', path)] : []),
  truncate: (call, path) =>
    succeeded(call) ? [load('entry', path), store('contents', path)] : [load('entry', path)],
  getdents64: (call, path) => (succeeded(call) ? [load('listing', path)] : []),
  stat: inspect,
  lstat: inspect,
  newfstatat: inspect,
  statx: inspect,
  access: inspect,
  faccessat: inspect,
  faccessat2: inspect,
  readlink: look,
  readlinkat: look,
  execve: (call, path) =>
    succeeded(call) ? [load('entry', path), load('contents', path)] : [load('entry', path)],
  execveat: look,
  unlink: change,
  unlinkat: change,
  rmdir: change,
  mkdir: change,
  mkdirat: change,
  rename,
  renameat: rename,
  renameat2: rename,
  link,
  linkat: link,
  symlink: change,
  symlinkat: change,
  chmod: alter,
  fchmod: alter,
  fchmodat: alter,
  chown: alter,
  fchownat: alter,
};

/** Paths whose contents the kernel makes up, or that stand for a device: no shared state of the program. */
const NOT_FILES = /^\/(proc|sys|dev)(\/|$)/;

/** What a call does to the files it names; nothing, if they have no absolute names. */
export function operationsOf(call: CallRecord, { name, name2 }: CallNames): Operation[] {
  // Pipes and sockets have other names; they are ordered by streams.ts.
  if (!name?.startsWith('/') || NOT_FILES.test(name)) return [];
  return MODELS[syscallName(call.number)]?.(call, name, name2) ?? [];
}

const CREATING =
  /^(open|openat|openat2|creat|mkdir|mkdirat|rename|renameat|renameat2|link|linkat|symlink|symlinkat)$/;

/**
 * Whether the outcome hangs on the directories on the way. Creating obj/a.o fails without obj. A
 * look at obj/a.o that found nothing would have found nothing in an empty obj either.
 */
export function dependsOnDirectories(call: CallRecord): boolean {
  return succeeded(call) || CREATING.test(syscallName(call.number));
}
