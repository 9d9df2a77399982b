/**
 * A traced task that stands at the entry of some system call and makes others in its place, as
 * often as we like. Strings are put into a piece of its memory that its children inherit:
 *
 *   const shell = RemoteTask.prepare(task);
 *   shell.call('mount', 'none', '/', null, MS_REC | MS_PRIVATE, null);
 *   const child = shell.fork(CLONE_PARENT);        // stands at the same call, ready for more
 */
import { assert } from '../../base/assert.ts';
import { encodeBytes } from '../../base/bytes.ts';
import { type Tid, traceeAddress } from '../ids.ts';
import { enterCall, injectSyscall, rewindCall, runToSyscallStop } from '../inject.ts';
import { writeMemory } from '../process-memory.ts';
import {
  detach,
  interrupt,
  readRegisters,
  resume,
  syscallInfo,
  writeRegisters,
} from '../ptrace.ts';
import { Signal } from '../signals.ts';
import { SystemError } from '../system-error.ts';
import { nextStop } from '../tracee-stop.ts';

/** Source: <asm-generic/mman-common.h>. */
const PROT_READ_WRITE = 3;
const PROT_READ_EXECUTE = 5;
const MAP_PRIVATE_ANONYMOUS = 0x22;
const PAGE = 4096;
const MEMORY = 1 << 16;

/** A byte string stands for the address of its bytes; null for no address. */
export type RemoteArgument = number | bigint | string | null;

export class RemoteTask {
  readonly task: Tid;
  readonly heldBack: number[];
  readonly #memory: bigint;

  private constructor(task: Tid, heldBack: number[], memory: bigint) {
    this.task = task;
    this.heldBack = heldBack;
    this.#memory = memory;
  }

  /** `heldBack` collects the signals that arrive meanwhile. */
  static prepare(task: Tid, heldBack: number[]): RemoteTask {
    const args = [0, MEMORY, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0];
    const memory = injectSyscall(task, { name: 'mmap', args });
    runToSyscallStop(task, heldBack);
    assert(memory > 0, `no memory in the starting shell: ${memory}`);
    return new RemoteTask(task, heldBack, BigInt(memory));
  }

  /** The call's result; throws a `SystemError` that names the call and its arguments. */
  call(name: string, ...args: RemoteArgument[]): number {
    const result = injectSyscall(this.task, { name, args: this.#placed(args) });
    runToSyscallStop(this.task, this.heldBack);
    if (result < 0 && result > -4096) throw new SystemError(name, args, -result);
    return result;
  }

  /** The same, for what may fail: why it did, if it did. */
  attempt(name: string, ...args: RemoteArgument[]): SystemError | undefined {
    try {
      this.call(name, ...args);
      return undefined;
    } catch (error) {
      if (error instanceof SystemError) return error;
      throw error;
    }
  }

  fork(flags: number): RemoteTask {
    const original = enterCall(this.task, { name: 'clone', args: [flags | Signal.SIGCHLD] });
    let child: Tid | undefined;
    for (;;) {
      resume(this.task, 'to-syscall');
      const next = nextStop(this.task);
      assert(next && next.stop.kind !== 'gone', `tracee ${this.task} vanished while it forked`);
      if (next.stop.kind === 'forked') child = next.stop.child;
      if (next.stop.kind === 'signal') this.heldBack.push(next.stop.signal);
      if (next.stop.kind === 'syscall') break;
    }
    const result = Number(BigInt.asIntN(64, readRegisters(this.task).get('rax')));
    rewindCall(this.task, original);
    runToSyscallStop(this.task, this.heldBack);
    if (result < 0 || child === undefined) throw new SystemError('clone', [flags], -result);
    return this.#adopt(child, original);
  }

  /** Runs this machine code from now on, and is let go, traced or not; all else of it stays as it is. */
  become(code: Buffer, staysTraced = false): void {
    const at = this.call('mmap', 0, PAGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
    writeMemory(this.task, traceeAddress(BigInt(at)), code);
    this.call('mprotect', at, PAGE, PROT_READ_EXECUTE);
    const registers = readRegisters(this.task);
    registers.set('rip', BigInt(at));
    // No call is made in place of the one it stands at.
    registers.set('orig_rax', -1n);
    writeRegisters(this.task, registers);
    if (staysTraced) resume(this.task, 'freely');
    else detach(this.task);
  }

  /** Makes calls although it is doing something else, which it goes on with; it must still be traced. */
  inBetween(act: (task: RemoteTask) => void): void {
    interrupt(this.task);
    for (;;) {
      const next = nextStop(this.task);
      assert(next && next.stop.kind !== 'gone', `tracee ${this.task} vanished`);
      if (next.stop.kind === 'started') break;
      resume(this.task, 'freely', next.stop.kind === 'signal' ? next.stop.signal : 0);
    }
    // The call that it was in is entered again.
    do runToSyscallStop(this.task, this.heldBack);
    while (syscallInfo(this.task).at !== 'entry');
    act(this);
    resume(this.task, 'freely');
  }

  #adopt(child: Tid, original: ReturnType<typeof readRegisters>): RemoteTask {
    const first = nextStop(child);
    assert(first?.stop.kind === 'started', `new task ${child}: ${JSON.stringify(first?.stop)}`);
    rewindCall(child, original);
    const heldBack: number[] = [];
    do runToSyscallStop(child, heldBack);
    while (syscallInfo(child).at !== 'entry');
    return new RemoteTask(child, heldBack, this.#memory);
  }

  #placed(args: readonly RemoteArgument[]): (number | bigint)[] {
    let at = this.#memory;
    return args.map((arg) => {
      if (arg === null) return 0;
      if (typeof arg !== 'string') return arg;
      const bytes = Buffer.concat([encodeBytes(arg), Buffer.of(0)]);
      assert(at + BigInt(bytes.length) <= this.#memory + BigInt(MEMORY), 'strings too long');
      writeMemory(this.task, traceeAddress(at), bytes);
      const place = at;
      at += BigInt(bytes.length);
      return place;
    });
  }
}
