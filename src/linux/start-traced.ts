/**
 * Starts a program under trace. It stands at its exec, before its first instruction; all that it
 * inherits is as if the user had started it.
 *
 * A stopped shell is seized, and at its next system call is made to call execve with arguments
 * that we have put into its memory. So no shell has touched the environment, and if the program
 * cannot be run we learn the kernel's own reason.
 */
import { printable } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { type ExecStrings, layOut } from './c-strings.ts';
import { errnoName } from './errno.ts';
import { type Tid, traceeAddress } from './ids.ts';
import { injectExec, injectSyscall, runToSyscallStop } from './inject.ts';
import { type Inheritance, RESERVED_SIGNALS } from './own-inheritance.ts';
import { writeMemory } from './process-memory.ts';
import { resume, seize, syscallInfo } from './ptrace.ts';
import { Signal, sendSignal } from './signals.ts';
import { type Command, leaderOf, spawnStopped } from './spawn.ts';
import { FOLLOW_EVERYTHING, ignoringTheDead, nextStop } from './tracee-stop.ts';

/** Source: <asm-generic/mman-common.h>. */
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;
/** sizeof(struct kernel_sigaction): all zero means the default action. */
const SIGACTION_SIZE = 32;

export interface Program extends Command {
  /** The file; `args[0]` is only what the program is told to be called. */
  readonly path: string;
  readonly inheritance: Inheritance;
}

/** `prepare` is called when all is ready but the exec; the task stands at the entry of some system call. */
export function startTraced(program: Program, prepare: (task: Tid) => void): Tid {
  // Never gets as far as running this itself.
  const starter = { args: ['/bin/false'], environment: ['PATH=/usr/bin:/bin'] };
  const task = leaderOf(spawnStopped(starter, program.inheritance));
  try {
    seizeOrExplain(task);
    sendSignal(task, Signal.SIGCONT);
    const heldBack = runToFirstCall(task);
    const strings = putStrings(task, program, heldBack);
    prepare(task);
    const failed = injectExec(task, strings.path, strings.argv, strings.envp);
    if (failed !== 0) throw cannotRun(program.path, -failed);
    // Whatever was meant for the program, such as an early Ctrl-C, reaches it now.
    for (const signal of heldBack) sendSignal(task, signal);
    return task;
  } catch (error) {
    // The stopped shell would stay for ever, and keep the user's pipes open.
    sendSignal(task, Signal.SIGKILL);
    letEnd(task);
    throw error;
  }
}

/** Even a killed task stops once more, to tell that it is about to go. */
function letEnd(task: Tid): void {
  for (let next = nextStop(task); next && next.stop.kind !== 'gone'; next = nextStop(task)) {
    ignoringTheDead(() => resume(task, 'freely'));
  }
}

function seizeOrExplain(task: Tid): void {
  try {
    seize(task, FOLLOW_EVERYTHING);
  } catch (error) {
    throw new UserError(
      `cannot trace programs here: ${(error as Error).message}`,
      "see 'deadheat doctor' for what is in the way",
      ExitStatus.unavailable,
    );
  }
}

function cannotRun(path: string, errno: number): UserError {
  const code = errnoName(errno);
  const remedy =
    code === 'E2BIG' ? 'use fewer or shorter arguments' : 'check the program and its interpreter';
  return new UserError(`cannot run '${printable(path)}': ${code}`, remedy);
}

/** To the entry of the shell's next system call; returns the signals that came, but for our own. */
function runToFirstCall(task: Tid): number[] {
  const heldBack: number[] = [];
  for (let next = nextStop(task); next; next = nextStop(task)) {
    const { stop } = next;
    if (stop.kind === 'syscall' && syscallInfo(task).at === 'entry') break;
    if (stop.kind === 'signal' && stop.signal !== Signal.SIGCONT) heldBack.push(stop.signal);
    resume(task, 'to-syscall');
  }
  return heldBack;
}

/**
 * Puts arguments and environment into the tracee, in memory of its own that exec will drop. Also
 * undoes that posix_spawn leaves the C library's two private signals ignored.
 */
function putStrings(
  task: Tid,
  { path, args, environment }: Program,
  heldBack: number[],
): ExecStrings {
  const length = layOut(0n, path, args, environment).bytes.length + SIGACTION_SIZE;
  const mapArguments = [0, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0];
  const base = BigInt(injectSyscall(task, { name: 'mmap', args: mapArguments }));
  const strings = layOut(base, path, args, environment);
  writeMemory(task, traceeAddress(base), strings.bytes);
  const defaultAction = traceeAddress(base + BigInt(strings.bytes.length));
  for (const signal of RESERVED_SIGNALS) {
    runToSyscallStop(task, heldBack);
    injectSyscall(task, { name: 'rt_sigaction', args: [signal, defaultAction, 0, 8] });
  }
  runToSyscallStop(task, heldBack);
  return strings;
}
