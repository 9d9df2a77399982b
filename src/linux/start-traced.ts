/**
 * Starts a program under trace. It stands at its exec, before its first instruction; all that it
 * inherits is as if the user had started it.
 *
 * A stopped shell is seized, and at its next system call is made to call execve with arguments
 * that we have put into its memory. So no shell has touched the environment, and if the program
 * cannot be run we learn the kernel's own reason.
 */
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { type ExecStrings, layOut } from './c-strings.ts';
import { cannotRun } from './cannot-run.ts';
import { errnoName } from './errno.ts';
import { type Tid, traceeAddress } from './ids.ts';
import { injectExec, injectSyscall, runToSyscallStop } from './inject.ts';
import { type Inheritance, RESERVED_SIGNALS } from './own-inheritance.ts';
import { Personality } from './personality.ts';
import type { Command } from './posix-spawn.ts';
import { writeMemory } from './process-memory.ts';
import { resume, seize, syscallInfo } from './ptrace.ts';
import type { BuiltFileSystem } from './sandbox/file-system.ts';
import type { ProcessNumbering } from './sandbox/process-numbering.ts';
import { enterSandbox, type Sandbox, type SandboxPlan } from './sandbox/sandbox.ts';
import { Signal, sendSignal } from './signals.ts';
import { leaderOf, spawnStopped } from './spawn.ts';
import { endTracee, FOLLOW_EVERYTHING, nextStop } from './tracee-stop.ts';
import { WaitOption, waitForChild } from './wait.ts';

/** Source: <asm-generic/mman-common.h>. */
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;
/** sizeof(struct kernel_sigaction): all zero means the default action. */
const SIGACTION_SIZE = 32;

export interface Program extends Command {
  /** The file; `args[0]` is only what the program is told to be called. */
  readonly path: string;
  readonly inheritance: Inheritance;
  /** Absent: the program runs where everybody else does. */
  readonly sandbox?: ProgramSandbox | undefined;
  /** Its memory is to be at the same addresses whenever it is run; in a sandbox it always is. */
  readonly fixedAddresses?: boolean;
}

export interface ProgramSandbox {
  readonly plan: SandboxPlan;
  /** Is told how it turned out, before the program starts. */
  built(fileSystem: BuiltFileSystem): void;
}

/** A program on its way, and how to learn of its end without tracing it. */
export interface StartedProgram {
  /** Stands at its exec, and is traced. */
  readonly task: Tid;
  /** Its raw wait status, once it has one. */
  status(): number | undefined;
  /** Whether all that was started for it is gone too; of what it left running, only a sandbox knows. */
  isOver(): boolean;
  /** Ends it, and in a sandbox everything that it has started; it is traced no longer. */
  kill(): void;
  /** If the sandbox was asked for it: which number the next process gets. */
  readonly numbering?: ProcessNumbering | undefined;
}

/** `prepare` is called when all is ready but the exec; the task stands at the entry of some system call. */
export function startProgram(program: Program, prepare: (task: Tid) => void): StartedProgram {
  // Never gets as far as running this itself.
  const starter = { args: ['/bin/false'], environment: ['PATH=/usr/bin:/bin'] };
  const shell = leaderOf(spawnStopped(starter, program.inheritance));
  let sandbox: Sandbox | undefined;
  try {
    seizeOrExplain(shell);
    sendSignal(shell, Signal.SIGCONT);
    const heldBack = runToFirstCall(shell);
    if (program.sandbox) {
      sandbox = enterSandbox(shell, heldBack, program.sandbox.plan);
      program.sandbox.built(sandbox.fileSystem);
      heldBack.splice(0, Number.POSITIVE_INFINITY, ...sandbox.heldBack);
    }
    const task = sandbox?.task ?? shell;
    const strings = putStrings(task, program, heldBack);
    if (sandbox || program.fixedAddresses) fixAddresses(task, heldBack);
    prepare(task);
    const failed = injectExec(task, strings.path, strings.argv, strings.envp);
    if (failed !== 0) throw cannotRun(program.path, errnoName(-failed));
    // Whatever was meant for the program, such as an early Ctrl-C, reaches it now.
    for (const signal of heldBack) sendSignal(task, signal);
    return sandbox ?? new OwnChild(task);
  } catch (error) {
    if (sandbox) sandbox.kill();
    else endTracee(shell);
    throw error;
  }
}

/** Without a sandbox the program is our child, and tells us itself. */
class OwnChild implements StartedProgram {
  readonly task: Tid;
  #status: number | undefined;

  constructor(task: Tid) {
    this.task = task;
  }

  status(): number | undefined {
    const options = WaitOption.all | WaitOption.ownThread | WaitOption.noHang;
    this.#status ??= waitForChild(this.task, options)?.status;
    return this.#status;
  }

  isOver(): boolean {
    return this.status() !== undefined;
  }

  kill(): void {
    if (this.isOver()) return;
    sendSignal(this.task, Signal.SIGKILL);
    this.#status = waitForChild(this.task, WaitOption.all | WaitOption.ownThread)?.status;
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

/**
 * What is run again is to find its memory where it was: programs make seeds of addresses. Some containers
 * forbid it; then addresses differ.
 */
function fixAddresses(task: Tid, heldBack: number[]): void {
  const present = injectSyscall(task, { name: 'personality', args: [Personality.query] });
  runToSyscallStop(task, heldBack);
  injectSyscall(task, { name: 'personality', args: [present | Personality.fixedAddresses] });
  runToSyscallStop(task, heldBack);
}
