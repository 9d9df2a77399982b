/**
 * A system call between its entry and its exit. What the arguments point at is looked up at the
 * entry, while the tracee stands still and before the call changes it:
 *
 *   openat(AT_FDCWD, "log", O_CREAT)   path "log", folder /home/me, nothing there: it will be created
 */

import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { traceeAddress } from '../../linux/ids.ts';
import { readMemory, readString } from '../../linux/process-memory.ts';
import { SI_PID_AT } from '../../linux/signals.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { typeOf } from '../model/file-type.ts';
import { OpenFlag, openFlags } from '../model/open-flags.ts';
import type { PathArgument } from '../model/recorded/shape.ts';
import { type RecordedCall, recordedCall } from '../model/recorded-calls.ts';
import { readData } from './tracee-data.ts';
import { exists, type Holder, type TraceeFiles } from './tracee-files.ts';

/** A path argument and the folder it starts at, if it is relative. */
interface PassedPath {
  path?: string;
  folder?: KernelFile | undefined;
}

export interface OpenCall {
  shape: RecordedCall;
  number: number;
  /** As the tracee passed them, addresses included. */
  args: readonly number[];
  entry: number;
  enteredAt: Nanoseconds;
  paths: readonly PassedPath[];
  /** The open files that the call is about. */
  file: KernelFile | undefined;
  file2: KernelFile | undefined;
  /** For calls that may create what they open: whether it was there. */
  existed: boolean;
  /** What the call amounts to if the signal that broke it off has a handler. */
  brokenOff: CallRecord | undefined;
}

const RESTART_SYSCALL = syscallNumber('restart_syscall');

/** Whether this is the call again that a signal broke off: then it keeps its first entry. */
export function isSameAgain(
  interrupted: OpenCall,
  number: number,
  args: readonly number[],
): boolean {
  if (number === RESTART_SYSCALL) return interrupted.brokenOff !== undefined;
  return (
    interrupted.number === number && args.every((arg, index) => arg === interrupted.args[index])
  );
}

/** undefined if there is nothing to record. */
export function openCall(
  files: TraceeFiles,
  holder: Holder,
  number: number,
  args: readonly number[],
  entry: number,
  enteredAt: Nanoseconds,
): OpenCall | undefined {
  const shape = recordedCall(number);
  if (!shape) return undefined;
  const fileAt = (index: number | undefined): KernelFile | undefined =>
    index === undefined ? undefined : files.ofFd(holder, args[index] ?? -1);
  const file = fileAt(shape.file);
  if (shape.streamsOnly) {
    files.descriptions.closed(holder.process, args[0] ?? -1);
    if (!file || !['pipe', 'socket'].includes(typeOf(file))) return undefined;
  }
  const paths = shape.paths.map((path) => passedPath(files, holder, shape, path, args));
  const [first] = shape.paths;
  const directory = first?.directory === undefined ? undefined : args[first.directory];
  return {
    shape,
    number,
    args,
    entry,
    enteredAt,
    paths,
    file,
    file2: fileAt(shape.file2),
    existed:
      !mayCreate(holder.task, shape, number, args) ||
      exists(holder.task, paths[0]?.path ?? '', directory),
    brokenOff: undefined,
  };
}

function mayCreate(
  task: Tid,
  shape: RecordedCall,
  number: number,
  args: readonly number[],
): boolean {
  if (!shape.creates) return false;
  const data = shape.data && readData(task, shape, args, 0);
  return (openFlags({ number, args, data }) & OpenFlag.O_CREAT) !== 0;
}

function passedPath(
  files: TraceeFiles,
  holder: Holder,
  shape: RecordedCall,
  { at, directory, isText }: PathArgument,
  args: readonly number[],
): PassedPath {
  const address = args[at] ?? 0;
  const path = readString(holder.task, traceeAddress(BigInt(address)));
  const isFolder = shape.orFolder && (path === '' || address === 0);
  if (!path && !isFolder) return {};
  if (path && (path.startsWith('/') || isText || shape.file !== undefined)) return { path };
  const folder = files.folderOf(holder, directory === undefined ? undefined : args[directory]);
  return path ? { path, folder } : { folder };
}

/** The process that a wait has collected, as its caller sees it: not our number in a pid namespace. */
export function collectedBy(task: Tid, { shape, args }: OpenCall, result: number): number {
  if (shape.name === 'wait4') return Math.max(0, result);
  const info = args[2] ?? 0;
  if (shape.name !== 'waitid' || result !== 0 || info === 0) return 0;
  const bytes = readMemory(task, traceeAddress(BigInt(info + SI_PID_AT)), 4);
  return bytes.length === 4 ? bytes.readInt32LE(0) : 0;
}
