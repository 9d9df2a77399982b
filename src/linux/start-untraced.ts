/**
 * Starts a program and lets it go: nobody traces it, and it inherits exactly what we were given
 * (own-inheritance.ts). What posix_spawn cannot set for a child, we have for ourselves while we call it: the
 * child takes over ignored signals, the limit of open files and descriptors that exec does not close.
 *
 *   const child = startUntraced({ path: '/bin/echo', args: ['echo', 'hi'], environment, inheritance });
 *   child.status()       // undefined while it runs, then its raw wait status
 */
import { cannotRun } from './cannot-run.ts';
import type { Pid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { allocate, release } from './native-memory.ts';
import { type Inheritance, RESERVED_SIGNALS } from './own-inheritance.ts';
import { Personality } from './personality.ts';
import { type Command, spawn } from './posix-spawn.ts';
import { IGNORED_BY_NODE, signalSet } from './signal-sets.ts';
import { SystemError } from './system-error.ts';
import { WaitOption, waitForChild } from './wait.ts';

const sigaction = libcFunction('int sigaction(int signal, uintptr_t action, uintptr_t old)');
const prlimit = libcFunction('int prlimit(int pid, int resource, uintptr_t limit, uintptr_t old)');
const personality = libcFunction('int personality(ulong persona)');
const fcntl = libcFunction('int fcntl(int fd, int command, int value)');

/** Source: <fcntl.h>, <asm-generic/resource.h>, <asm-generic/signal-defs.h>. */
const F_GETFD = 1;
const F_SETFD = 2;
const RLIMIT_NOFILE = 7;
const SIG_IGN = 1n;
/** sizeof(struct sigaction), <bits/sigaction.h>: 152 bytes. */
const SIGACTION_ROOM = 256;

export interface UntracedProgram extends Command {
  /** The file; `args[0]` is only what the program is told to be called. */
  readonly path: string;
  readonly inheritance: Inheritance;
  /** Its memory is to be at the same addresses whenever it is run, where the kernel allows that. */
  readonly fixedAddresses?: boolean;
}

export class UntracedChild {
  readonly pid: Pid;
  #status: number | undefined;

  constructor(pid: Pid) {
    this.pid = pid;
  }

  /** Its raw wait status, once it has one. */
  status(): number | undefined {
    this.#status ??= waitForChild(this.pid, WaitOption.all | WaitOption.noHang)?.status;
    return this.#status;
  }
}

export function startUntraced(program: UntracedProgram): UntracedChild {
  const { path, inheritance } = program;
  const { files, ignoredSignals, blockedSignals, openFileLimit } = inheritance;
  const notIgnored = [...IGNORED_BY_NODE, ...RESERVED_SIGNALS].filter(
    (signal) => !ignoredSignals.includes(signal),
  );
  const plan = {
    duplicates: [],
    closed: [0, 1, 2].filter((fd) => !files.includes(fd)),
    defaultSignals: signalSet(notIgnored),
    blockedSignals,
  };
  const putBack = [
    ...files.map(keepOpen),
    ...ignoredSignals.map(ignore),
    ...(openFileLimit === undefined ? [] : [limitOpenFiles(openFileLimit)]),
    ...(program.fixedAddresses ? [fixAddresses()] : []),
  ];
  try {
    return new UntracedChild(spawn(path, program, plan));
  } catch (error) {
    throw error instanceof SystemError ? cannotRun(path, error.code) : error;
  } finally {
    for (const undo of putBack.reverse()) undo();
  }
}

/** Each of these returns what takes it back. */
type Undo = () => void;

function keepOpen(fd: number): Undo {
  const flags = fcntl(fd, F_GETFD, 0);
  fcntl(fd, F_SETFD, 0);
  return () => fcntl(fd, F_SETFD, flags);
}

function ignore(signal: number): Undo {
  const memory = allocate(2 * SIGACTION_ROOM);
  const old = memory.address + BigInt(SIGACTION_ROOM);
  memory.bytes.writeBigUInt64LE(SIG_IGN, 0);
  sigaction(signal, memory.address, old);
  return () => {
    sigaction(signal, old, 0n);
    release(memory);
  };
}

/** A child takes over its parent's personality; our own memory stays where it is. */
function fixAddresses(): Undo {
  const present = personality(Personality.query);
  personality(present | Personality.fixedAddresses);
  return () => personality(present);
}

/** The soft limit only, as the launcher noted it. */
function limitOpenFiles(soft: number): Undo {
  const memory = allocate(32);
  const old = memory.address + 16n;
  prlimit(0, RLIMIT_NOFILE, 0n, old);
  memory.bytes.writeBigUInt64LE(BigInt(soft), 0);
  memory.bytes.copy(memory.bytes, 8, 24, 32);
  prlimit(0, RLIMIT_NOFILE, memory.address, 0n);
  return () => {
    prlimit(0, RLIMIT_NOFILE, old, 0n);
    release(memory);
  };
}
