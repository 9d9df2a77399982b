/**
 * A system call between its entry and its exit. What the arguments point at is looked up at the
 * entry, while the tracee stands still and before the call changes it:
 *
 *   openat(AT_FDCWD, "log", O_CREAT)   path "log", folder /home/me, nothing there: it will be created
 */
import { type Nanoseconds, type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory, readString } from '../../linux/process-memory.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { OpenFlag, openFlags } from '../model/open-flags.ts';
import { keptArguments, type RecordedCall, recordedCall } from '../model/recorded-calls.ts';
import { exists, fileOfFd, folderOf } from './tracee-files.ts';

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
  /** The open file that the call is about. */
  file: KernelFile | undefined;
  /** For calls that may create what they open: whether it was there. */
  existed: boolean;
}

/** In-kernel results of a call that a signal broke off and that may be entered again, <linux/errno.h>. */
const RESTARTS = new Set([-512, -513, -514, -516]);

/** offsetof(siginfo_t, si_pid), <asm-generic/siginfo.h>. */
const SI_PID_AT = 16;

/** `interrupted` is the call of the same task that a signal broke off: the same again keeps its first entry. */
export function openCall(
  task: Tid,
  number: number,
  args: readonly number[],
  entered: { entry: number; enteredAt: Nanoseconds },
  interrupted: OpenCall | undefined,
): OpenCall | undefined {
  const shape = recordedCall(number);
  if (!shape) return undefined;
  const isSameAgain =
    interrupted?.number === number && args.every((arg, index) => arg === interrupted.args[index]);
  if (isSameAgain) return interrupted;
  const paths = shape.paths.map(({ at, directory }) =>
    passedPath(task, args[at], directory === undefined ? undefined : args[directory]),
  );
  const [first] = shape.paths;
  const directory = first?.directory === undefined ? undefined : args[first.directory];
  return {
    shape,
    number,
    args,
    ...entered,
    paths,
    file: shape.file === undefined ? undefined : fileOfFd(task, args[shape.file] ?? -1),
    existed: !mayCreate(number, args) || exists(task, paths[0]?.path ?? '', directory),
  };
}

const mayCreate = (number: number, args: readonly number[]): boolean =>
  (openFlags({ number, args }) & OpenFlag.O_CREAT) !== 0;

function passedPath(task: Tid, address = 0, directoryFd?: number): PassedPath {
  const path = readString(task, traceeAddress(BigInt(address)));
  if (path === undefined || path === '') return {};
  return path.startsWith('/') ? { path } : { path, folder: folderOf(task, directoryFd) };
}

/** The finished call as a record; undefined if a signal broke it off. */
export function recordOfCall(
  task: Tid,
  call: OpenCall,
  result: number,
  exit: number,
  leftAt: Nanoseconds,
): CallRecord | undefined {
  if (RESTARTS.has(result)) return undefined;
  const [first, second] = call.paths;
  const hasOpened = call.shape.opens && result >= 0;
  return {
    kind: 'call',
    tid: task,
    number: call.number,
    entry: call.entry,
    exit,
    enteredAt: call.enteredAt,
    leftAt,
    args: keptArguments(call.number, call.args),
    result,
    path: first?.path,
    path2: second?.path,
    file: call.file ?? first?.folder,
    file2: hasOpened ? fileOfFd(task, result) : second?.folder,
    created: hasOpened && !call.existed ? true : undefined,
  };
}

/** The process that a wait has collected, as its caller sees it: not our number in a pid namespace. */
export function collectedBy(task: Tid, { shape, args }: OpenCall, result: number): number {
  if (shape.name === 'wait4') return Math.max(0, result);
  const info = args[2] ?? 0;
  if (shape.name !== 'waitid' || result !== 0 || info === 0) return 0;
  const bytes = readMemory(task, traceeAddress(BigInt(info + SI_PID_AT)), 4);
  return bytes.length === 4 ? bytes.readInt32LE(0) : 0;
}
