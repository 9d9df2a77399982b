/**
 * Starting a program so that it can be traced from its first instruction. Node's child_process
 * will not do: libuv collects the wait statuses that the tracer needs.
 *
 * The child first is a shell that stops itself; the caller seizes it, wakes it with SIGCONT, and
 * sees it exec the program:  sh -c 'kill -STOP $$; exec "$@"' sh PROGRAM ARG…
 *
 * Argument and environment are byte strings (base/bytes.ts), so nothing is lost on the way.
 */
import { assert } from '../base/assert.ts';
import { encodeBytes } from '../base/bytes.ts';
import { type Pid, pid, type Tid, tid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate, type NativeMemory, release } from './native-memory.ts';
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
const EMPTY_MASK_AT = 2560n;

const STOP_THEN_EXEC = 'kill -STOP $$; exec "$@"';

export interface Command {
  /** Program first; it must be resolvable (see executable.ts), or the shell will complain. */
  readonly args: readonly string[];
  /** `NAME=value` each. */
  readonly environment: readonly string[];
}

/** Returns when the child stands still, in a shell, before the program's exec. */
export function spawnStopped(command: Command): Pid {
  const shell = ['/bin/sh', '-c', STOP_THEN_EXEC, 'sh', ...command.args];
  const child = spawn('/bin/sh', shell, command.environment);
  const change = waitForChild(child, WaitOption.untraced | WaitOption.all);
  const status = parseWaitStatus(change?.status ?? 0);
  assert(status.kind === 'stopped', `/bin/sh did not stop itself: ${JSON.stringify(status)}`);
  return child;
}

export const leaderOf = (process: Pid): Tid => tid(process);

function spawn(path: string, args: readonly string[], environment: readonly string[]): Pid {
  const fixed = allocate(4096);
  const strings = layOut([path, ...args], environment);
  try {
    prepareStdio(fixed);
    prepareSignals(fixed);
    const errno = posixSpawn(
      fixed.address + PID_AT,
      strings.path,
      fixed.address + ACTIONS_AT,
      fixed.address + ATTRIBUTES_AT,
      strings.argv,
      strings.envp,
    );
    if (errno !== 0) throw new SystemError('posix_spawn', [path], errno);
    return pid(fixed.bytes.readInt32LE(Number(PID_AT)));
  } finally {
    destroyActions(fixed.address + ACTIONS_AT);
    release(strings.memory);
    release(fixed);
  }
}

/** Node marks its own fds 0 to 2 close-on-exec; duplicating one onto itself clears the mark. */
function prepareStdio(fixed: NativeMemory): void {
  initActions(fixed.address + ACTIONS_AT);
  for (const fd of [0, 1, 2]) addDup2(fixed.address + ACTIONS_AT, fd, fd);
}

/** Node ignores SIGPIPE and SIGXFSZ; without this, `yes | head -1` would never end. */
function prepareSignals(fixed: NativeMemory): void {
  const attributes = fixed.address + ATTRIBUTES_AT;
  const ignoredByNode = (1n << BigInt(Signal.SIGPIPE - 1)) | (1n << BigInt(Signal.SIGXFSZ - 1));
  fixed.bytes.writeBigUInt64LE(ignoredByNode, Number(DEFAULT_SIGNALS_AT));
  initAttributes(attributes);
  setFlags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  setDefaultSignals(attributes, fixed.address + DEFAULT_SIGNALS_AT);
  setMask(attributes, fixed.address + EMPTY_MASK_AT);
}

/** The path, argv and envp as C wants them: two NULL-terminated tables of pointers, then the bytes. */
function layOut(
  [path, ...args]: readonly string[],
  environment: readonly string[],
): { memory: NativeMemory; path: bigint; argv: bigint; envp: bigint } {
  const encoded = [path!, ...args, ...environment].map(encodeBytes);
  const tables = (args.length + environment.length + 2) * 8;
  const size = encoded.reduce((sum, bytes) => sum + bytes.length + 1, tables);
  const memory = allocate(size);
  let stringAt = tables;
  const addresses = encoded.map((bytes) => {
    const address = memory.address + BigInt(stringAt);
    bytes.copy(memory.bytes, stringAt);
    stringAt += bytes.length + 1;
    return address;
  });
  const argvAddresses = addresses.slice(1, 1 + args.length);
  const envpAddresses = addresses.slice(1 + args.length);
  let slot = 0;
  for (const address of [...argvAddresses, 0n, ...envpAddresses, 0n]) {
    memory.bytes.writeBigUInt64LE(address, slot);
    slot += 8;
  }
  const envp = memory.address + BigInt((args.length + 1) * 8);
  return { memory, path: addresses[0]!, argv: memory.address, envp };
}
