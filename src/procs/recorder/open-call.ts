/**
 * A system call between its entry and its exit. What the arguments point at is looked up at the
 * entry, while the tracee stands still and before the call changes it:
 *
 *   openat(AT_FDCWD, "log", O_CREAT)   path /home/me/log, file absent  → the call creates it
 */
import type { Nanoseconds, Tid, TraceeAddress } from '../../linux/ids.ts';
import { readString } from '../../linux/process-memory.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { keptArguments, type RecordedCall, recordedCall } from './recorded-calls.ts';
import { absolutePath, fileAtPath, fileOfFd, pathOfFd } from './tracee-files.ts';

export interface OpenCall {
  shape: RecordedCall;
  number: number;
  args: number[];
  entry: number;
  enteredAt: Nanoseconds;
  /** Absolute paths of the path arguments, or the one path of the fd argument. */
  paths: (string | undefined)[];
  /** What was there, for each path. */
  files: (KernelFile | undefined)[];
}

/** In-kernel results of a call that a signal interrupted and that will be entered again, <linux/errno.h>. */
const RESTARTS = new Set([-512, -513, -514, -516]);

/** `interrupted` is the same task's call that a signal broke off: it keeps its first entry. */
export function openCall(
  task: Tid,
  number: number,
  args: number[],
  entered: { entry: number; enteredAt: Nanoseconds },
  interrupted: OpenCall | undefined,
): OpenCall | undefined {
  const shape = recordedCall(number);
  if (!shape) return undefined;
  if (interrupted?.number === number) return interrupted;
  const paths =
    shape.file === undefined
      ? shape.paths.map(({ at, directory }) => {
          const path = readString(task, BigInt(args[at] ?? 0) as TraceeAddress);
          return (
            path && absolutePath(task, path, directory === undefined ? undefined : args[directory])
          );
        })
      : [pathOfFd(task, args[shape.file] ?? -1)];
  const files =
    shape.file === undefined
      ? paths.map((path) => (path ? fileAtPath(path) : undefined))
      : [fileOfFd(task, args[shape.file] ?? -1)];
  return { shape, number, args: keptArguments(number, args), ...entered, paths, files };
}

/** The finished call as a record; undefined if it was interrupted and will be entered again. */
export function recordOfCall(
  task: Tid,
  call: OpenCall,
  result: number,
  exit: number,
  leftAt: Nanoseconds,
): CallRecord | undefined {
  if (RESTARTS.has(result)) return undefined;
  const [path, path2] = call.paths;
  const [file, second] = call.files;
  const file2 = call.shape.opens && result >= 0 ? fileOfFd(task, result) : second;
  return {
    kind: 'call',
    tid: task,
    number: call.number,
    entry: call.entry,
    exit,
    enteredAt: call.enteredAt,
    leftAt,
    args: call.args,
    result,
    ...(path !== undefined && { path }),
    ...(path2 !== undefined && { path2 }),
    ...(file !== undefined && { file }),
    ...(file2 !== undefined && { file2 }),
  };
}
