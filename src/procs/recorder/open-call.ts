/**
 * A system call between its entry and its exit. What the arguments point at is looked up at the
 * entry, while the tracee stands still and before the call changes it:
 *
 *   openat(AT_FDCWD, "log", O_CREAT)   path /home/me/log, file absent  → the call creates it
 */
import { type Nanoseconds, type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory, readString } from '../../linux/process-memory.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { keptArguments, type RecordedCall, recordedCall } from './recorded-calls.ts';
import { fileAtPath, fileOfFd, type NamedFile } from './tracee-files.ts';

export interface OpenCall {
  shape: RecordedCall;
  number: number;
  /** As the tracee passed them, addresses included. */
  args: readonly number[];
  entry: number;
  enteredAt: Nanoseconds;
  /** What the paths led to, or the one open file, at the entry. */
  files: (NamedFile | undefined)[];
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
  return { shape, number, args, ...entered, files: filesOf(task, shape, args) };
}

function filesOf(
  task: Tid,
  shape: RecordedCall,
  args: readonly number[],
): (NamedFile | undefined)[] {
  if (shape.file !== undefined) return [fileOfFd(task, args[shape.file] ?? -1)];
  return shape.paths.map(({ at, directory }) => {
    const path = readString(task, traceeAddress(BigInt(args[at] ?? 0)));
    // An empty path means the directory's fd itself (AT_EMPTY_PATH).
    if (path === undefined || path === '') return undefined;
    return fileAtPath(task, path, directory === undefined ? undefined : args[directory]);
  });
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
  const [first, second] = call.files;
  const opened = call.shape.opens && result >= 0 ? fileOfFd(task, result) : second;
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
    path: first?.name,
    path2: second?.name,
    file: first?.file,
    file2: opened?.file,
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
