/** Calls that look names up, and make them come and go. */
import { dirname } from 'node:path';
import { isOrdinaryPath } from '../kernel-files.ts';
import {
  type Family,
  type Model,
  type ModelledCall,
  NO_OPERATIONS,
  sameFor,
  succeeded,
} from '../modelled-call.ts';
import { OpenFlag, openFlags } from '../open-flags.ts';
import {
  commuting,
  load,
  lookUpToWrite,
  named,
  type Operation,
  store,
  WHOLE,
} from '../operation.ts';
import { isExchange } from '../rename-flags.ts';

/** Source: <linux/fcntl.h>. */
const AT_REMOVEDIR = 0x200;

/** A name appears or disappears. */
export const changeEntry = (path: string): Operation[] => [
  store('entry', named(path)),
  commuting(store('listing', named(dirname(path)))),
];

/** Only for paths that name files. */
const ofPath =
  (model: (name: string, modelled: ModelledCall) => Operation[]): Model =>
  (modelled) =>
    modelled.name !== undefined && isOrdinaryPath(modelled.name)
      ? model(modelled.name, modelled)
      : NO_OPERATIONS;

/** A call that changes an entry if it succeeds, and has at least looked at it if it fails. */
const changed = (name: string, modelled: ModelledCall): Operation[] =>
  succeeded(modelled) ? changeEntry(name) : [load('entry', named(name))];
const change = ofPath(changed);

/** A directory can only be removed if there is nothing in it. */
const removeDirectory = ofPath((name, modelled) => [
  ...changed(name, modelled),
  load('listing', named(name)),
]);

const remove: Model = (modelled, population) =>
  ((modelled.call.args[2] ?? 0) & AT_REMOVEDIR ? removeDirectory : change)(modelled, population);

const look = ofPath((name) => [load('entry', named(name))]);

/** With O_CREAT and without O_EXCL, it does not matter to the opener whether the file was there. */
const open = ofPath((name, modelled) => {
  const { call, target } = modelled;
  if (!succeeded(modelled)) return [load('entry', named(name))];
  const flags = openFlags(call);
  if (flags & OpenFlag.O_TMPFILE) return [load('entry', named(name))];
  const whicheverWay = (flags & (OpenFlag.O_CREAT | OpenFlag.O_EXCL)) === OpenFlag.O_CREAT;
  const [entry, ...listing] = call.created ? changeEntry(name) : [found(name, flags)];
  const truncates = (flags & OpenFlag.O_TRUNC) !== 0 && !call.created && target !== undefined;
  return [
    whicheverWay ? commuting(entry!) : entry!,
    ...listing,
    ...(truncates
      ? [commuting(store('contents', target, WHOLE)), commuting(store('size', target))]
      : []),
  ];
});

function found(name: string, flags: number): Operation {
  const writes = (flags & (OpenFlag.O_WRONLY | OpenFlag.O_RDWR)) !== 0;
  return writes ? lookUpToWrite(name) : load('entry', named(name));
}

/**
 * rename(2): the old name goes, the new one comes. Where there was a file under the new name, it is
 * replaced in one step: whoever looks the name up finds the one or the other, but always a whole
 * file. That is how programs publish a file without a lock, so it is no change to those who look.
 */
const rename = ofPath((name, modelled) => {
  const { call, name2 = name, replaces } = modelled;
  if (!succeeded(modelled)) return [load('entry', named(name)), load('entry', named(name2))];
  if (isExchange(call)) return [store('entry', named(name)), store('entry', named(name2))];
  if (!replaces) return [...changeEntry(name), ...changeEntry(name2)];
  return [...changeEntry(name), { ...store('entry', named(name2)), seamless: true }];
});

/** A file without a name is given one through /proc/self/fd. */
const link: Model = (modelled) => {
  const { name, name2 } = modelled;
  if (name2 === undefined || !isOrdinaryPath(name2)) return NO_OPERATIONS;
  const found = name !== undefined && isOrdinaryPath(name) ? [lookUpToWrite(name)] : [];
  return [...found, ...changed(name2, modelled)];
};

/** Whether it made a new queue is not told: with O_CREAT, it is taken to have. */
const openQueue: Model = (modelled) => {
  const { name, call } = modelled;
  if (name === undefined) return NO_OPERATIONS;
  const flags = openFlags(call);
  if (!succeeded(modelled) || !(flags & OpenFlag.O_CREAT)) return [load('entry', named(name))];
  const made = store('entry', named(name));
  return [flags & OpenFlag.O_EXCL ? made : commuting(made)];
};

export const NAMES: Family = {
  ...sameFor(open, 'open', 'creat', 'openat', 'openat2'),
  mq_open: openQueue,
  ...sameFor(change, 'unlink', 'mkdir', 'mkdirat', 'symlink', 'symlinkat'),
  ...sameFor(change, 'mknod', 'mknodat', 'mq_unlink'),
  rmdir: removeDirectory,
  unlinkat: remove,
  ...sameFor(look, 'readlink', 'readlinkat', 'chdir', 'chroot', 'inotify_add_watch'),
  ...sameFor(rename, 'rename', 'renameat', 'renameat2'),
  ...sameFor(link, 'link', 'linkat'),
};

const CREATING =
  /^(open|openat|openat2|creat|mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|link|linkat|symlink|symlinkat)$/;

/**
 * Whether the outcome hangs on the directories on the way. Creating obj/a.o fails without obj. A
 * look at obj/a.o that found nothing would have found nothing in an empty obj either.
 */
export function dependsOnDirectories(call: string, result: number): boolean {
  return result >= 0 || CREATING.test(call);
}
