/**
 * A sandbox for one program: mounts of its own, in which it may change every file and no file
 * really changes, and process numbers of its own. Built by making a stopped shell call what is
 * needed (remote-task.ts):
 *
 *   shell    gets the new namespaces, forks process 1 as our own child, and is ended
 *   1 init   builds the file system, then collects orphans until nobody is left (reaper-code.ts);
 *            if we die it is killed, and with it, by the kernel, everything in the sandbox
 *   2        the program's parent: collects the program and puts down how it ended
 *   3        becomes the program; keeps its session, group, terminal, descriptors and user
 *
 * A plain user gets a user namespace too, in which only that user and group exist: files of
 * others seem to be nobody's, and setuid programs run without their privileges.
 */
import { closeSync, ftruncateSync, writeFileSync } from 'node:fs';
import type { Tid } from '../ids.ts';
import { allocate, mapShared, type NativeMemory, release } from '../native-memory.ts';
import { rawSyscall } from '../raw-syscall.ts';
import { Signal } from '../signals.ts';
import { SystemError } from '../system-error.ts';
import { endTracee } from '../tracee-stop.ts';
import { WaitOption, waitForChild } from '../wait.ts';
import { CloneFlag } from './constants.ts';
import { type BuiltFileSystem, buildFileSystem, type FileSystemPlan } from './file-system.ts';
import { type ListeningPlace, listenAt } from './listening-place.ts';
import { bringUpLoopback } from './loopback.ts';
import { ProcessNumbering } from './process-numbering.ts';
import { reaperCode } from './reaper-code.ts';
import { noSandbox } from './remedies.ts';
import { RemoteTask } from './remote-task.ts';

export interface SandboxPlan extends FileSystemPlan {
  /** Where the program starts. */
  readonly cwd: string;
  /** Whether it has a network, a hostname and System V's means of communication of its own. */
  readonly isAlone?: boolean;
  /** If it is alone: where we stand in for somebody else. */
  readonly listening?: Listening;
  /** Whether the numbers of new processes can be chosen; the tracer then hears of process 1, too. */
  readonly choosesNumbers?: boolean;
  /** Whom a new user namespace is for; root needs none. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface Listening {
  readonly at: readonly ListeningPlace[];
  /** Is told of each place at which that is possible, with a descriptor to accept connections from, and to close. */
  opened(place: number, descriptor: number): void;
}

export interface Sandbox {
  /** Becomes the program; stands at the entry of a system call. */
  readonly task: Tid;
  /** Signals that came for it meanwhile. */
  readonly heldBack: readonly number[];
  readonly fileSystem: BuiltFileSystem;
  /** The program's raw wait status, once it has one. */
  status(): number | undefined;
  /** Whether everybody in it is gone. */
  isOver(): boolean;
  /** Ends everything in it, at once. */
  kill(): void;
  /** If numbers can be chosen: process 1, and which number the next process gets. */
  readonly numbering?: ProcessNumbering | undefined;
}

/** Source: <linux/prctl.h>, <asm-generic/fcntl.h>, <asm-generic/mman-common.h>. */
const PR_SET_PDEATHSIG = 1;
const PR_SET_NAME = 15;
const SIG_SETMASK = 2;
const O_RDWR = 2;
const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const LAST_DESCRIPTOR = 0xffff_ffff;

const PAGE = 4096;
const ALL_SIGNALS = '\udcff'.repeat(8);
const NO_STATUS_YET = 0xffff_ffff;

/**
 * `shell` is traced and stands at the entry of a system call; if all goes well it is gone afterwards.
 */
export function enterSandbox(shell: Tid, heldBack: number[], plan: SandboxPlan): Sandbox {
  const starter = RemoteTask.prepare(shell, heldBack);
  const board = new StatusBoard(starter);
  let init: RemoteTask | undefined;
  let parent: RemoteTask | undefined;
  let program: RemoteTask | undefined;
  try {
    init = makeInit(starter, plan);
    const fileSystem = buildFileSystem(init, plan);
    parent = init.fork(0);
    program = parent.fork(0);
    program.call('chdir', plan.cwd);
    const signals = new Set([starter, init, parent, program].flatMap((task) => task.heldBack));
    retire(init, 'deadheat-init', 0n, plan.choosesNumbers);
    retire(parent, 'deadheat-parent', board.address);
    endAll(starter);
    const numbering = plan.choosesNumbers ? new ProcessNumbering(init) : undefined;
    return new RunningSandbox(program, init, [...signals], fileSystem, board, numbering);
  } catch (error) {
    endAll(program, parent, init);
    board.close();
    throw error instanceof SystemError ? noSandbox(error, plan.isAlone) : error;
  }
}

class RunningSandbox implements Sandbox {
  readonly task: Tid;
  readonly heldBack: readonly number[];
  readonly fileSystem: BuiltFileSystem;
  readonly numbering: ProcessNumbering | undefined;
  readonly #program: RemoteTask;
  readonly #init: RemoteTask;
  readonly #board: StatusBoard;
  #isOver = false;

  constructor(
    program: RemoteTask,
    init: RemoteTask,
    heldBack: readonly number[],
    fileSystem: BuiltFileSystem,
    board: StatusBoard,
    numbering: ProcessNumbering | undefined,
  ) {
    this.numbering = numbering;
    this.task = program.task;
    this.#program = program;
    this.heldBack = heldBack;
    this.fileSystem = fileSystem;
    this.#init = init;
    this.#board = board;
  }

  status(): number | undefined {
    return this.#board.status;
  }

  isOver(): boolean {
    this.#isOver ||=
      waitForChild(this.#init.task, WaitOption.all | WaitOption.noHang) !== undefined;
    return this.#isOver;
  }

  kill(): void {
    if (this.isOver()) return;
    // Once it has a status, its number may be somebody else's.
    if (this.status() === undefined) endAll(this.#program);
    endAll(this.#init);
    this.#isOver = true;
  }
}

/** One word of memory, shared with the sandbox, where the program's wait status is put. */
class StatusBoard {
  /** Inside the sandbox. */
  readonly address: bigint;
  readonly #memory: NativeMemory;

  constructor(starter: RemoteTask) {
    const name = allocate(PAGE);
    name.bytes.write('deadheat-status\0');
    const fd = rawSyscall('memfd_create', [name.address, 1], ['deadheat-status']);
    release(name);
    ftruncateSync(fd, PAGE);
    this.#memory = mapShared(fd, PAGE);
    this.#memory.bytes.writeUInt32LE(NO_STATUS_YET, 0);
    const theirs = starter.call('open', `/proc/${process.pid}/fd/${fd}`, O_RDWR);
    this.address = BigInt(starter.call('mmap', 0, PAGE, PROT_READ_WRITE, MAP_SHARED, theirs, 0));
    starter.call('close', theirs);
    closeSync(fd);
  }

  get status(): number | undefined {
    const word = this.#memory.bytes.readUInt32LE(0);
    return word === NO_STATUS_YET ? undefined : word;
  }

  close(): void {
    release(this.#memory);
  }
}

/** Process 1 of the new pid namespace, with mounts of its own; our child, so that it dies with us. */
function makeInit(starter: RemoteTask, { user, isAlone, listening }: SandboxPlan): RemoteTask {
  if (user) {
    starter.call('unshare', CloneFlag.newUsers);
    mapUser(starter.task, user);
  }
  starter.call('unshare', CloneFlag.newPids | CloneFlag.newMounts);
  if (isAlone) {
    starter.call('unshare', CloneFlag.newNetwork | CloneFlag.newIpc | CloneFlag.newNames);
    bringUpLoopback(starter);
    if (listening) listenAt(starter, listening.at, listening.opened);
  }
  const init = starter.fork(CloneFlag.parent);
  init.call('prctl', PR_SET_PDEATHSIG, Signal.SIGKILL);
  return init;
}

/** Nobody but the user exists in the new namespace; user_namespaces(7) asks for this order. */
function mapUser(task: Tid, { uid, gid }: { uid: number; gid: number }): void {
  const write = (name: string, text: string): void => {
    try {
      writeFileSync(`/proc/${task}/${name}`, text);
    } catch (error) {
      const { errno = 0 } = error as NodeJS.ErrnoException;
      throw new SystemError('write', [`/proc/PID/${name}`], -errno);
    }
  };
  write('uid_map', `${uid} ${uid} 1`);
  write('setgroups', 'deny');
  write('gid_map', `${gid} ${gid} 1`);
}

/** Out of the way of signals and terminals, without any of the program's files. */
function retire(helper: RemoteTask, name: string, statusAt: bigint, staysTraced = false): void {
  helper.call('rt_sigprocmask', SIG_SETMASK, ALL_SIGNALS, 0, 8);
  helper.call('setsid');
  helper.call('prctl', PR_SET_NAME, name);
  helper.call('close_range', 0, LAST_DESCRIPTOR, 0);
  helper.call('chdir', '/');
  helper.become(reaperCode(statusAt), staysTraced);
}

/** Ends tasks that are our tracees or children, the inner ones first: process 1 waits for all others. */
function endAll(...tasks: readonly (RemoteTask | undefined)[]): void {
  for (const one of tasks) if (one) endTracee(one.task);
}
