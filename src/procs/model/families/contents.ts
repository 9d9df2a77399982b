/** Calls that move bytes into and out of files, or change how long they are. */
import type { CallRecord } from '../../../trace/records/call.ts';
import { typeOf } from '../file-type.ts';
import { isOrdinaryPath } from '../kernel-files.ts';
import { type Family, type ModelledCall, NO_OPERATIONS, sameFor } from '../modelled-call.ts';
import {
  commuting,
  load,
  lookUpToWrite,
  named,
  type Operation,
  type Range,
  store,
  WHOLE,
} from '../operation.ts';

/** Source: <asm-generic/mman-common.h>, <linux/mman.h>. */
const PROT_WRITE = 2;
const MAP_SHARED = 1;
const MAP_TYPE = 0x0f;
/** FALLOC_FL_COLLAPSE_RANGE and FALLOC_FL_INSERT_RANGE, <linux/falloc.h>. */
const MOVES_WHAT_FOLLOWS = 0x28;

const isRegularFile = ({ file }: CallRecord): boolean =>
  file !== undefined && typeOf(file) === 'file';

/** An ordinary file, with its identity. */
function fileOf({ call, name, target }: ModelledCall) {
  const isOne = name !== undefined && (isOrdinaryPath(name) || /^(file|memfd):/.test(name));
  return isOne && isRegularFile(call) ? target : undefined;
}

/** Bytes at the position that the file has now, after the call. */
function atPosition({ position, result }: CallRecord): Range {
  return position === undefined ? WHOLE : { from: position - result, to: position };
}

/** Bytes at an offset that is an argument. */
const atArgument =
  (index: number) =>
  ({ args, result }: CallRecord): Range => {
    const from = args[index] ?? 0;
    return { from, to: from + result };
  };

/** preadv2 and pwritev2 go by the position if their offset is -1. */
const atOffset = (call: CallRecord): Range =>
  call.args[3] === -1 ? atPosition(call) : atArgument(3)(call);

/** Where fewer bytes came than were asked for, the reader has seen the end: what follows matters too. */
function asSeen(range: Range, { args, result }: CallRecord, asked = args[2] ?? 0): Range {
  return result < asked ? { from: range.from, to: Number.POSITIVE_INFINITY } : range;
}

/** The position of an open file moves with each transfer; those that share it get in each other's way. */
function movePosition({ call, name, openFile }: ModelledCall): Operation[] {
  if (call.position === undefined || !openFile) return NO_OPERATIONS;
  return [store('position', { key: openFile.key, name: name ?? 'an open file' })];
}

const readBytes =
  (where: (call: CallRecord) => Range, moves: boolean) =>
  (modelled: ModelledCall): Operation[] => {
    const { call } = modelled;
    const file = fileOf(modelled);
    if (!file || call.result < 0) return NO_OPERATIONS;
    const contents = load('contents', file, asSeen(where(call), call));
    return moves ? [contents, ...movePosition(modelled)] : [contents];
  };

/** A transfer of no bytes touches nothing. */
const writeBytes =
  (where: (call: CallRecord) => Range, moves: boolean) =>
  (modelled: ModelledCall): Operation[] => {
    const { call, openFile } = modelled;
    const file = fileOf(modelled);
    if (!file || call.result <= 0) return NO_OPERATIONS;
    // Linux appends whatever the offset, and then does not tell where that was.
    const range = openFile?.appends && !moves ? WHOLE : where(call);
    const moved = moves ? movePosition(modelled) : NO_OPERATIONS;
    return [
      store('contents', file, range),
      commuting(store('size', file)),
      // Appended bytes go to the end wherever the position is; there, everyone else's do too.
      ...(openFile?.appends
        ? [store('end', file), ...moved.map(commuting)]
        : [commuting(store('end', file)), ...moved]),
    ];
  };

function truncate(modelled: ModelledCall): Operation[] {
  const { call, name, target } = modelled;
  if (!target || name === undefined || !isOrdinaryPath(name)) return NO_OPERATIONS;
  const lookup = call.path === undefined ? [] : [lookUpToWrite(name)];
  if (call.result < 0) return lookup;
  // How long it was is not known: that it may have been filled up to there is not looked at.
  const from = call.args[1] ?? 0;
  const cut = store('contents', target, { from, to: Number.POSITIVE_INFINITY });
  return [...lookup, cut, store('size', target), store('end', target)];
}

/** A shared mapping may be written at any time; a private one is at least read. */
function map(modelled: ModelledCall): Operation[] {
  const { call } = modelled;
  const file = fileOf(modelled);
  if (!file || call.result < 0) return NO_OPERATIONS;
  const [, length = 0, protection = 0, flags = 0, , from = 0] = call.args;
  const range = { from, to: from + length };
  const isShared = (flags & MAP_TYPE & MAP_SHARED) !== 0;
  if (isShared && protection & PROT_WRITE) return [store('contents', file, range)];
  return [load('contents', file, range)];
}

/** Both files are regular ones, or one is a stream, for which streams.ts speaks. */
function copy(modelled: ModelledCall, from: 'first' | 'second'): Operation[] {
  const { call, target, target2 } = modelled;
  if (call.result <= 0) return NO_OPERATIONS;
  const [source, destination] = from === 'first' ? [target, target2] : [target2, target];
  const [sourceFile, destinationFile] =
    from === 'first' ? [call.file, call.file2] : [call.file2, call.file];
  return [
    ...(source && sourceFile && typeOf(sourceFile) === 'file' ? [load('contents', source)] : []),
    ...(destination && destinationFile && typeOf(destinationFile) === 'file'
      ? [store('contents', destination), commuting(store('size', destination))]
      : []),
  ];
}

export const CONTENTS: Family = {
  ...sameFor(readBytes(atPosition, true), 'read', 'readv'),
  ...sameFor(readBytes(atArgument(3), false), 'pread64', 'preadv'),
  // Without a position of their own they have none that was recorded, and move none.
  preadv2: readBytes(atOffset, true),
  ...sameFor(writeBytes(atPosition, true), 'write', 'writev'),
  ...sameFor(writeBytes(atArgument(3), false), 'pwrite64', 'pwritev'),
  pwritev2: writeBytes(atOffset, true),
  ...sameFor(truncate, 'truncate', 'ftruncate'),
  lseek: (modelled) => (fileOf(modelled) ? movePosition(modelled) : NO_OPERATIONS),
  fallocate: (modelled) => {
    const file = fileOf(modelled);
    if (!file || modelled.call.result < 0) return NO_OPERATIONS;
    const [, mode = 0, from = 0, length = 0] = modelled.call.args;
    const to = mode & MOVES_WHAT_FOLLOWS ? Number.POSITIVE_INFINITY : from + length;
    return [store('contents', file, { from, to }), store('size', file), store('end', file)];
  },
  mmap: map,
  sendfile: (modelled) => copy(modelled, 'second'),
  ...sameFor((modelled) => copy(modelled, 'first'), 'splice', 'copy_file_range'),
  ...sameFor(
    (modelled) => {
      const { call, name } = modelled;
      if (call.result < 0 || name === undefined) return NO_OPERATIONS;
      if (name === '/proc') return [load('listing', named(name))];
      return isOrdinaryPath(name)
        ? [load('listing', named(name)), ...movePosition(modelled)]
        : NO_OPERATIONS;
    },
    ...['getdents', 'getdents64'],
  ),
};
