/**
 * Starts a shell that stops itself at once, so that it can be seized and then made to run any
 * program (start-traced.ts) before that program's first instruction. Node's child_process will
 * not do: libuv collects the wait statuses that a tracer needs.
 *
 *   sh -c 'trap "" 1; ulimit -Sn 256; kill -STOP $$; exec "$@"' sh PROGRAM ARG…
 *
 * The shell also puts back what Node has changed of what a child inherits (own-inheritance.ts).
 */
import { assert } from '../base/assert.ts';
import { layOut } from './c-strings.ts';
import { type Pid, pid, type Tid, tid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate, type NativeMemory, release } from './native-memory.ts';
import { type Inheritance, PLAIN_INHERITANCE } from './own-inheritance.ts';
import { Signal } from './signals.ts';
import { SystemError } from './system-error.ts';
import { parseWaitStatus, WaitOption, waitForChild } from './wait.ts';

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

const SHELL = '/bin/sh';

export interface Command {
  readonly args: readonly string[];
  /** `NAME=value` each; byte strings, see base/bytes.ts. */
  readonly environment: readonly string[];
}

/** Returns when the shell stands still; woken by SIGCONT, it would run the command. */
export function spawnStopped(command: Command, inheritance = PLAIN_INHERITANCE): Pid {
  const shell = [SHELL, '-c', starterScript(inheritance), 'sh', ...command.args];
  const child = spawn(shell, command.environment, inheritance);
  const change = waitForChild(child, WaitOption.untraced | WaitOption.all);
  const status = parseWaitStatus(change?.status ?? 0);
  assert(status.kind === 'stopped', `${SHELL} did not stop itself: ${JSON.stringify(status)}`);
  return child;
}

export const leaderOf = (process: Pid): Tid => tid(process);

function starterScript({ ignoredSignals, openFileLimit }: Inheritance): string {
  const steps = [
    ...ignoredSignals.map((signal) => `trap '' ${signal}`),
    ...(openFileLimit === undefined ? [] : [`ulimit -Sn ${openFileLimit}`]),
    'kill -STOP $$',
    'exec "$@"',
  ];
  return steps.join('; ');
}

function spawn(
  args: readonly string[],
  environment: readonly string[],
  inheritance: Inheritance,
): Pid {
  const fixed = allocate(4096);
  const size = layOut(0n, SHELL, args, environment).bytes.length;
  const strings = allocate(size);
  try {
    const { bytes, path, argv, envp } = layOut(strings.address, SHELL, args, environment);
    bytes.copy(strings.bytes);
    prepareFiles(fixed, inheritance);
    prepareSignals(fixed, inheritance);
    const actions = fixed.address + ACTIONS_AT;
    const attributes = fixed.address + ATTRIBUTES_AT;
    const errno = posixSpawn(fixed.address + PID_AT, path, actions, attributes, argv, envp);
    if (errno !== 0) throw new SystemError('posix_spawn', [SHELL], errno);
    return pid(fixed.bytes.readInt32LE(Number(PID_AT)));
  } finally {
    destroyActions(fixed.address + ACTIONS_AT);
    release(strings);
    release(fixed);
  }
}

/**
 * Node marks the descriptors it was given close-on-exec (duplicating one onto itself clears the
 * mark), and opens /dev/null where stdin, stdout or stderr was closed. Whoever is to become 21 but is
 * 20 here, where another is to be, is put out of the way first.
 */
function prepareFiles(fixed: NativeMemory, { files, sources }: Inheritance): void {
  const actions = fixed.address + ACTIONS_AT;
  initActions(actions);
  const source = (fd: number): number => sources?.get(fd) ?? fd;
  const inTheWay = new Set(files.filter((fd) => source(fd) !== fd).map(source));
  const aside = new Map<number, number>();
  let free = Math.max(0, ...files, ...files.map(source)) + 1;
  for (const fd of inTheWay) if (files.includes(fd)) aside.set(fd, free++);
  for (const [from, to] of aside) addDup2(actions, from, to);
  for (const fd of files) addDup2(actions, aside.get(source(fd)) ?? source(fd), fd);
  for (const fd of aside.values()) addClose(actions, fd);
  for (const fd of [0, 1, 2]) if (!files.includes(fd)) addClose(actions, fd);
}

/** Node ignores SIGPIPE and SIGXFSZ; without this, `yes | head -1` would never end. */
function prepareSignals(fixed: NativeMemory, { blockedSignals }: Inheritance): void {
  const attributes = fixed.address + ATTRIBUTES_AT;
  const ignoredByNode = (1n << BigInt(Signal.SIGPIPE - 1)) | (1n << BigInt(Signal.SIGXFSZ - 1));
  fixed.bytes.writeBigUInt64LE(ignoredByNode, Number(DEFAULT_SIGNALS_AT));
  fixed.bytes.writeBigUInt64LE(blockedSignals, Number(MASK_AT));
  initAttributes(attributes);
  setFlags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  setDefaultSignals(attributes, fixed.address + DEFAULT_SIGNALS_AT);
  setMask(attributes, fixed.address + MASK_AT);
}
