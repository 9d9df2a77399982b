/**
 * posix_spawn(3), with what a child of ours is to inherit. Node's child_process will not do: libuv collects
 * wait statuses, and gives a child only the descriptors that it was told of.
 */
import { layOut } from './c-strings.ts';
import { type Pid, pid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate, type NativeMemory, release } from './native-memory.ts';
import { SystemError } from './system-error.ts';

const posixSpawn = libcFunction(
  'int posix_spawn(uintptr_t pid, uintptr_t path, uintptr_t actions, uintptr_t attributes, uintptr_t argv, uintptr_t envp)',
);
const initActions = libcFunction('int posix_spawn_file_actions_init(uintptr_t actions)');
const addDup2 = libcFunction(
  'int posix_spawn_file_actions_adddup2(uintptr_t actions, int from, int to)',
);
const addClose = libcFunction('int posix_spawn_file_actions_addclose(uintptr_t actions, int fd)');
const destroyActions = libcFunction('int posix_spawn_file_actions_destroy(uintptr_t actions)');
const initAttributes = libcFunction('int posix_spawnattr_init(uintptr_t attributes)');
const setFlags = libcFunction('int posix_spawnattr_setflags(uintptr_t attributes, short flags)');
const setDefaultSignals = libcFunction(
  'int posix_spawnattr_setsigdefault(uintptr_t attributes, uintptr_t set)',
);
const setMask = libcFunction('int posix_spawnattr_setsigmask(uintptr_t attributes, uintptr_t set)');

/** Source: <spawn.h>. */
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;

// One page for the fixed-size structures; generous against <spawn.h>'s 80, 336 and 128 bytes.
const PID_AT = 0n;
const ACTIONS_AT = 512n;
const ATTRIBUTES_AT = 1024n;
const DEFAULT_SIGNALS_AT = 2048n;
const MASK_AT = 2560n;

export interface Command {
  readonly args: readonly string[];
  /** `NAME=value` each; byte strings, see base/bytes.ts. */
  readonly environment: readonly string[];
}

/** In sets of signals, bit n-1 stands for signal n. */
export interface SpawnPlan {
  /** Descriptors to be made, as `[from, to]`, one after the other; onto itself: not closed by exec. */
  readonly duplicates: readonly (readonly [number, number])[];
  /** Afterwards. */
  readonly closed: readonly number[];
  readonly defaultSignals: bigint;
  readonly blockedSignals: bigint;
}

/** Returns when the program has been executed; throws a `SystemError` with the reason if it could not be. */
export function spawn(path: string, { args, environment }: Command, plan: SpawnPlan): Pid {
  const fixed = allocate(4096);
  const size = layOut(0n, path, args, environment).bytes.length;
  const strings = allocate(size);
  try {
    const laidOut = layOut(strings.address, path, args, environment);
    const { argv, envp } = laidOut;
    laidOut.bytes.copy(strings.bytes);
    prepareFiles(fixed, plan);
    prepareSignals(fixed, plan);
    const actions = fixed.address + ACTIONS_AT;
    const attributes = fixed.address + ATTRIBUTES_AT;
    const to = fixed.address + PID_AT;
    const errno = posixSpawn(to, laidOut.path, actions, attributes, argv, envp);
    if (errno !== 0) throw new SystemError('posix_spawn', [path], errno);
    return pid(fixed.bytes.readInt32LE(Number(PID_AT)));
  } finally {
    destroyActions(fixed.address + ACTIONS_AT);
    release(strings);
    release(fixed);
  }
}

function prepareFiles(fixed: NativeMemory, { duplicates, closed }: SpawnPlan): void {
  const actions = fixed.address + ACTIONS_AT;
  initActions(actions);
  for (const [from, to] of duplicates) addDup2(actions, from, to);
  for (const fd of closed) addClose(actions, fd);
}

function prepareSignals(fixed: NativeMemory, { defaultSignals, blockedSignals }: SpawnPlan): void {
  const attributes = fixed.address + ATTRIBUTES_AT;
  fixed.bytes.writeBigUInt64LE(defaultSignals, Number(DEFAULT_SIGNALS_AT));
  fixed.bytes.writeBigUInt64LE(blockedSignals, Number(MASK_AT));
  initAttributes(attributes);
  setFlags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  setDefaultSignals(attributes, fixed.address + DEFAULT_SIGNALS_AT);
  setMask(attributes, fixed.address + MASK_AT);
}
