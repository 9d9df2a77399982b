/**
 * What the programs in the kernel and the reader in user space agree on: the events in the ring
 * buffer, and what is remembered of each task. One table per kind of event, with the offsets of
 * its fields; all start with the same head.
 *
 *   bytes 0…23   Head: stamp, time, kind, task       (every event)
 *   bytes 24…    what that kind adds                 (CallEvent: args, result, files, paths, …)
 *
 * A call is put together in the task's own state, from its entry to its exit, and then sent as it
 * stands; so `TaskState` starts with a `CallEvent`.
 */
import { assert } from '../../../base/assert.ts';
import { INPUT_PIECE } from '../program-input.ts';

export const EventKind = {
  call: 1,
  start: 2,
  exec: 3,
  exit: 4,
  signal: 5,
  note: 6,
  /** A path that is too long for its CallEvent, sent ahead of it. */
  text: 7,
  /** What was read from the program's input, or went through a socket; several before their CallEvent. */
  input: 8,
  /** There was more, which has not been sent. */
  inputCut: 9,
} as const;

export const Head = { stamp: 0, time: 8, kind: 16, task: 20, size: 24 } as const;

/** `struct KernelFile` in its binary form; `mode` has FILE_IS_THERE set if there is one. */
export const FileFields = { id: 0, inode: 8, device: 16, mode: 20, size: 24 } as const;
export const FILE_IS_THERE = 1 << 16;

/** Paths up to this length, with their NUL, stand in the event itself. */
export const SHORT_PATH = 256;
/** PATH_MAX, <linux/limits.h>, with the NUL. */
export const LONGEST_TEXT = 4096;

export const CallEvent = {
  entry: 24,
  enteredAt: 32,
  number: 40,
  /** 1 if this very call created the file that it opened. */
  created: 44,
  result: 48,
  args: 56,
  file: 104,
  file2: 128,
  /** How long the paths are, with their NUL; or one of PathLength. */
  length: 152,
  length2: 156,
  /** `si_pid` of waitid's answer. */
  collected: 160,
  /** How long the data is that an argument points at; it stands in place of a path. */
  dataLength: 164,
  /** Of the file, after the call; -1 for none. */
  position: 168,
  path: 176,
  path2: 176 + SHORT_PATH,
  size: 176 + 2 * SHORT_PATH,
} as const;

export const PathLength = {
  none: 0,
  /** It is in a text event before this one. */
  sentAhead: 0x7fff_fffe,
  /** The page was not in memory. */
  unread: 0x7fff_ffff,
} as const;

export const StartEvent = {
  process: 24,
  parent: 28,
  cloneFlags: 32,
  /** How many pid namespaces below the outermost it lives; then its number in each of them. */
  depth: 40,
  numbers: 44,
  size: 80,
} as const;
export const DEEPEST_NAMESPACE = (StartEvent.size - StartEvent.numbers) / 4;

export const ExecEvent = {
  formerTask: 24,
  pathLength: 28,
  commandLength: 32,
  /** 1 if the recording begins with this exec. */
  begins: 36,
  /** The path with its NUL, then at once the command line. */
  texts: 40,
  size: 40 + 2 * LONGEST_TEXT,
} as const;

export const ExitEvent = { status: 24, size: 32 } as const;
/** `phase`: of its task, one of Phase. */
export const SignalEvent = { signal: 24, code: 28, sender: 32, phase: 36, size: 40 } as const;
export const TextEvent = { index: 24, length: 28, text: 32, size: 32 + LONGEST_TEXT } as const;

export const InputEvent = {
  /** Of the file that was read. */
  file: 24,
  length: 48,
  /** One of InputPurpose. */
  purpose: 52,
  bytes: 56,
  size: 56 + INPUT_PIECE,
} as const;

export const InputPurpose = {
  /** The program's input, or random bytes: the file says which. */
  input: 0,
  received: 1,
  sent: 2,
} as const;

/** The value that the map of tasks holds for each of them. */
export const TaskState = {
  phase: CallEvent.size,
  /** 1 once a note has said that its 32-bit calls are not recorded. */
  noted: CallEvent.size + 4,
  /** The last clone(2) or relative that it entered, and its first argument. */
  cloneNumber: CallEvent.size + 8,
  cloneArgument: CallEvent.size + 16,
  /** The last signal that was sent to its process; only a process's first task has it. */
  lastSignal: CallEvent.size + 24,
  lastSignalCode: CallEvent.size + 28,
  lastSignalSender: CallEvent.size + 32,
  size: CallEvent.size + 40,
} as const;

export const Phase = {
  outsideCalls: 0,
  inCall: 1,
  /** A signal broke its call off, which may be entered again. */
  interrupted: 2,
  /** It is the root, and not yet the program to be recorded. */
  beforeExec: 3,
  /** A signal broke its call off, which is over unless it is entered again. */
  brokenOff: 4,
} as const;

/** Counters that all programs share. Apart from each other, since every event adds to the first. */
export const Shared = {
  stamps: 0,
  dropped: 64,
  alive: 72,
  /** The kernel's address of the program's input; 1 until its exec, 0 if that is of no interest. */
  input: 80,
  /** The inodes of the devices that make up bytes, 0 for none. */
  random: 88,
  random2: 96,
  /** Bytes of sockets that were kept. */
  conversed: 104,
  size: 112,
} as const;
export const INPUT_WANTED = 1;

/**
 * A stamp is the sequence number, with the number of the event above it: both come from one
 * addition, so that events can be put in the order of their sequence numbers without guessing.
 * An entry to a call takes a sequence number but is no event.
 */
export const SEQUENCE_BITS = 42n;
export const ENTRY_STAMP = 1n;
export const EVENT_STAMP = (1n << SEQUENCE_BITS) + 1n;

for (const { size } of [
  FileFields,
  CallEvent,
  StartEvent,
  ExecEvent,
  SignalEvent,
  TextEvent,
  InputEvent,
]) {
  assert(size % 8 === 0, `an event of ${size} bytes would be misaligned`);
}
assert(CallEvent.file2 + FileFields.size === CallEvent.length, 'files overlap what follows');
assert(CallEvent.args + 6 * 8 === CallEvent.file, 'arguments overlap what follows');
