/**
 * Call events as records, together with what came before them: paths that were too long for the
 * event, and the path of an execve that could not be read while its caller still had its memory.
 */
import { closeSync, fstatSync } from 'node:fs';
import { tryTo } from '../../../base/result.ts';
import { nanoseconds, type Tid, tid } from '../../../linux/ids.ts';
import { rawSyscall } from '../../../linux/raw-syscall.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { hasPosition } from '../../model/file-type.ts';
import {
  dataSize,
  hasOpened,
  keptArguments,
  type RecordedCall,
  recordedCall,
  usesPosition,
} from '../../model/recorded-calls.ts';
import type { NamespacedPids } from '../task-numbers.ts';
import { sequenceAt, signed64, textAt, u32 } from './event-fields.ts';
import { CallEvent, FILE_IS_THERE, FileFields, Head, PathLength, TextEvent } from './layout.ts';
import { FIRST_PATH, type PathPlace, SECOND_PATH } from './path-fragments.ts';
import { TextCache } from './text-cache.ts';

/** The bits of a mode that are not the type. */
const PERMISSIONS = 0o7777;

/** The length of nothing but a NUL. */
const EMPTY_PATH = 1;

/** What is known of a task's call before its event comes. */
interface Ahead {
  texts: (string | undefined)[];
  execPath?: string;
}

export class CallReader {
  readonly #began: number;
  readonly #namespaced: NamespacedPids;
  readonly #texts = new TextCache((text) => text);
  readonly #ahead = new Map<Tid, Ahead>();

  constructor(began: number, namespaced: NamespacedPids) {
    this.#began = began;
    this.#namespaced = namespaced;
  }

  /** A path that belongs to this task's next call. */
  sentAhead(event: DataView): void {
    const task = tid(u32(event, Head.task));
    const end = TextEvent.text + u32(event, TextEvent.length) - 1;
    const ahead = this.#ahead.get(task) ?? { texts: [] };
    ahead.texts[u32(event, TextEvent.index)] = textAt(event, TextEvent.text, end);
    this.#ahead.set(task, ahead);
  }

  /** The task goes on under another number, and its execve will end now. */
  execed(former: Tid, task: Tid, execPath: string): void {
    const texts = this.#ahead.get(former)?.texts ?? [];
    this.#ahead.delete(former);
    this.#ahead.set(task, { texts, execPath });
  }

  /** Whether something came ahead of this task's next call. */
  hasAhead(task: Tid): boolean {
    return this.#ahead.size > 0 && this.#ahead.has(task);
  }

  /** The task is gone. */
  ended(task: Tid): void {
    this.#ahead.delete(task);
  }

  read(event: DataView): CallRecord {
    const task = tid(u32(event, Head.task));
    const number = u32(event, CallEvent.number);
    const shape = recordedCall(number)!;
    const args = argumentsOf(event);
    const result = signed64(event, CallEvent.result);
    const outcome = { args, result };
    const path = this.#pathOf(event, task, FIRST_PATH);
    const path2 = this.#pathOf(event, task, SECOND_PATH);
    if (this.#ahead.size > 0) this.#ahead.delete(task);
    const collected = collectedBy(shape, u32(event, CallEvent.collected), result);
    const opened = hasOpened(shape, outcome);
    const isRelative = path === undefined ? undefined : !path.startsWith('/');
    const isRelative2 = path2 === undefined ? undefined : !path2.startsWith('/');
    const length = u32(event, CallEvent.length);
    const file = isAboutFile(shape, isRelative, length, args)
      ? fileAt(event, CallEvent.file)
      : undefined;
    return {
      kind: 'call',
      tid: task,
      number,
      entry: sequenceAt(event, CallEvent.entry),
      exit: sequenceAt(event, Head.stamp),
      enteredAt: this.#time(event, CallEvent.enteredAt),
      leftAt: this.#time(event, Head.time),
      args: keptArguments(shape, args),
      result: shape.addressResult && result > 0 ? 0 : result,
      path,
      path2,
      file,
      file2: isAboutFile2(shape, isRelative2, opened) ? fileAt(event, CallEvent.file2) : undefined,
      created: opened && shape.creates && u32(event, CallEvent.created) === 1 ? true : undefined,
      reaped: collected > 0 ? this.#namespaced.ours(task, collected) : undefined,
      position:
        file && usesPosition(shape, outcome) && hasPosition(file) ? positionAt(event) : undefined,
      data: this.#dataOf(shape, event, outcome),
    };
  }

  #pathOf(event: DataView, task: Tid, { index, length, path }: PathPlace): string | undefined {
    const size = u32(event, length);
    if (size === PathLength.unread) return fromExec(this.#ahead.get(task)?.execPath);
    if (size === PathLength.sentAhead) return this.#ahead.get(task)?.texts[index];
    return size <= 1 ? undefined : this.#texts.at(event, path, path + size - 1);
  }

  /** The kernel copies fcntl's argument whatever the command. */
  #dataOf(
    shape: RecordedCall,
    event: DataView,
    outcome: { args: readonly number[]; result: number },
  ): string | undefined {
    const length = u32(event, CallEvent.dataLength);
    if (length === 0 || dataSize(shape, outcome) === 0) return undefined;
    const at = shape.paths.length > 0 ? CallEvent.path2 : CallEvent.path;
    return this.#texts.at(event, at, at + length);
  }

  #time(event: DataView, at: number) {
    return nanoseconds(signed64(event, at) - this.#began);
  }
}

const argumentsOf = (event: DataView): number[] => [
  signed64(event, CallEvent.args),
  signed64(event, CallEvent.args + 8),
  signed64(event, CallEvent.args + 16),
  signed64(event, CallEvent.args + 24),
  signed64(event, CallEvent.args + 32),
  signed64(event, CallEvent.args + 40),
];

/** For a program that was named by descriptor, the kernel has made this name up. */
function fromExec(path: string | undefined): string | undefined {
  return path?.startsWith('/dev/fd/') ? undefined : path;
}

/**
 * Whether `file` is an open file, or the folder that the path starts at, or is in place of a path.
 * `isRelative`: whether the path is; undefined if there is none.
 */
export function isAboutFile(
  shape: RecordedCall,
  isRelative: boolean | undefined,
  length: number,
  args: readonly number[],
): boolean {
  if (shape.file !== undefined || shape.pair) return true;
  const [first] = shape.paths;
  if (!first || first.isText) return false;
  if (isRelative !== undefined) return isRelative;
  const isEmpty = args[first.at] === 0 || length === EMPTY_PATH;
  return shape.orFolder === true && isEmpty;
}

export function isAboutFile2(
  shape: RecordedCall,
  isRelative: boolean | undefined,
  opened: boolean,
): boolean {
  if (opened || shape.file2 !== undefined || shape.pair) return true;
  return isRelative === true && !shape.paths[1]?.isText;
}

function positionAt(event: DataView): number | undefined {
  const position = signed64(event, CallEvent.position);
  return position < 0 ? undefined : position;
}

export function fileAt(event: DataView, at: number): KernelFile | undefined {
  const mode = u32(event, at + FileFields.mode);
  if ((mode & FILE_IS_THERE) === 0) return undefined;
  const device = userDevice(u32(event, at + FileFields.device));
  return {
    id: signed64(event, at + FileFields.id),
    device,
    inode: signed64(event, at + FileFields.inode),
    mode: shownMode(mode & ~FILE_IS_THERE, device),
  };
}

/** A pidfd's inode is a regular file's, but stat(2) does not say so. */
export const shownMode = (mode: number, device: number): number =>
  device === pidfdDevice() ? mode & PERMISSIONS : mode;

let cachedPidfdDevice: number | undefined;

/** -1 if there are no pidfds, or if stat(2) says what the kernel has. */
function pidfdDevice(): number {
  cachedPidfdDevice ??= findPidfdDevice();
  return cachedPidfdDevice;
}

function findPidfdDevice(): number {
  const opened = tryTo(() => rawSyscall('pidfd_open', [process.pid, 0]));
  if (!opened.ok) return -1;
  const { dev, mode } = fstatSync(opened.value);
  closeSync(opened.value);
  // Those of older kernels are on the device of all anonymous inodes.
  return mode <= PERMISSIONS ? dev : -1;
}

/** The kernel has 20 bits of minor number below the major one; stat(2) splits them: <linux/kdev_t.h>. */
export function userDevice(device: number): number {
  const major = device >>> 20;
  const minor = device & 0xf_ffff;
  return ((minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12)) >>> 0;
}

/** As its caller sees it: not our number in a pid namespace. */
export function collectedBy({ name }: RecordedCall, collected: number, result: number): number {
  if (name === 'wait4') return result;
  return name === 'waitid' ? collected : 0;
}
