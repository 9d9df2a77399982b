/** A call that has ended, as a record: with what can be known only now. */
import { encodeBytes } from '../../base/bytes.ts';
import { errnoNumber } from '../../linux/errno.ts';
import type { Nanoseconds } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { hasPosition } from '../model/file-type.ts';
import { hasOpened, keptArguments, usesPosition } from '../model/recorded-calls.ts';
import type { OpenCall } from './open-call.ts';
import { readData } from './tracee-data.ts';
import type { Holder, TraceeFiles } from './tracee-files.ts';

/** In-kernel results of a call that a signal broke off and that may be entered again, <linux/errno.h>. */
const ERESTARTNOHAND = -514;
const ERESTART_RESTARTBLOCK = -516;
const RESTARTS = new Set([-512, -513, ERESTARTNOHAND, ERESTART_RESTARTBLOCK]);
const EINTR = errnoNumber('EINTR') ?? 0;

/** CLOSE_RANGE_CLOEXEC, <linux/close_range.h>: nothing is closed yet. */
const ONLY_ON_EXEC = 4;
const LARGEST_FD = 0x7fff_ffff;

export const isBrokenOff = (result: number): boolean => result < -511 && RESTARTS.has(result);

/** Whether the call is over if the signal has a handler. */
export const endsByHandler = (result: number): boolean =>
  result === ERESTARTNOHAND || result === ERESTART_RESTARTBLOCK;

export function recordOfCall(
  files: TraceeFiles,
  holder: Holder,
  call: OpenCall,
  kernelResult: number,
  exit: number,
  leftAt: Nanoseconds,
): CallRecord {
  const { shape, args } = call;
  const result = isBrokenOff(kernelResult) ? -EINTR : kernelResult;
  const outcome = { args, result };
  const [first, second] = call.paths;
  const data = readData(holder.task, shape, args, result);
  const opened = hasOpened(shape, outcome) ? openedFile(files, holder, call, result) : undefined;
  const pair = shape.pair && data !== undefined ? pairOf(files, holder, data) : [];
  if (shape.name === 'close_range' && result === 0) forgetRange(files, holder, args);
  const file = call.file ?? first?.folder ?? pair[0];
  return {
    kind: 'call',
    tid: holder.task,
    number: call.number,
    entry: call.entry,
    exit,
    enteredAt: call.enteredAt,
    leftAt,
    args: keptArguments(shape, args),
    result: shape.addressResult && result > 0 ? 0 : result,
    path: first?.path,
    path2: second?.path,
    file,
    file2: opened ?? call.file2 ?? second?.folder ?? pair[1],
    created: opened && !call.existed ? true : undefined,
    position:
      file && usesPosition(shape, outcome) && hasPosition(file)
        ? positionAfter(files, holder, call, result)
        : undefined,
    data,
  };
}

function positionAfter(
  files: TraceeFiles,
  holder: Holder,
  { shape, args }: OpenCall,
  result: number,
): number | undefined {
  if (shape.name === 'lseek' && result >= 0) return result;
  return files.positionOf(holder, args[shape.file ?? 0] ?? -1);
}

function openedFile(
  files: TraceeFiles,
  holder: Holder,
  { shape, args, file }: OpenCall,
  fd: number,
): KernelFile | undefined {
  if (shape.duplicates) {
    files.descriptions.duplicated(holder.process, (args[0] ?? 0) | 0, fd);
    return file;
  }
  // signalfd(2) may only change the set of one that there is.
  const isOld = shape.name.startsWith('signalfd') && ((args[0] ?? 0) | 0) === fd;
  return isOld ? files.ofFd(holder, fd) : files.ofNewFd(holder, fd);
}

/** `data` is two descriptors. */
function pairOf(files: TraceeFiles, holder: Holder, data: string): (KernelFile | undefined)[] {
  const fds = encodeBytes(data);
  return [files.ofNewFd(holder, fds.readInt32LE(0)), files.ofNewFd(holder, fds.readInt32LE(4))];
}

function forgetRange({ descriptions }: TraceeFiles, { process }: Holder, args: readonly number[]) {
  const [first = 0, last = 0, flags = 0] = args;
  if (flags & ONLY_ON_EXEC) return;
  descriptions.closed(process, first >>> 0, Math.min(last >>> 0, LARGEST_FD));
}
