/**
 * A program under trace, with all its threads from their start: which of them there are, who comes and goes,
 * and how to get out of its way again.
 *
 * Other processes are let go of at their first stop, with the breakpoints removed from their copy of the
 * memory. A child of vfork has no copy, and stays with us until it executes something.
 *
 * Nobody is stopped in order to be let go of, since that would end system calls such as epoll_wait with EINTR:
 * who stands is let go at once, and the others when something stops them, be it only their end. Until then
 * nothing of us is left in their code.
 */
import { existsSync } from 'node:fs';
import { unreachable } from '../base/assert.ts';
import { tryTo } from '../base/result.ts';
import { type Breakpoints, type Hit, INT3, isAtInt3 } from '../linux/breakpoints.ts';
import { type Pid, pid, type Tid, type TraceeAddress, tid } from '../linux/ids.ts';
import { programEntry } from '../linux/loader.ts';
import { readMemory, writeCode } from '../linux/process-memory.ts';
import {
  detach,
  interrupt,
  listen,
  readRegisters,
  resume,
  writeRegisters,
} from '../linux/ptrace.ts';
import { Signal } from '../linux/signals.ts';
import { ignoringTheDead, type TraceeStop } from '../linux/tracee-stop.ts';

/** Who decides what is done at stops that are about the race. */
export interface StopHandler {
  /** The loader is done; `task` stands before the program's first instruction, and goes on afterwards. */
  arrived(task: Tid): void;
  /** `task` stands at a breakpoint until the handler lets it go on. */
  hit(task: Tid, hit: Hit): void;
  /** It is no longer there to be held. */
  lost(task: Tid): void;
}

export class TracedProcess {
  readonly process: Pid;
  /** Its raw wait status, once it has ended. */
  status: number | undefined;
  /** In the code that is running now; undefined until the loader is done. */
  breakpoints: Breakpoints | undefined;
  readonly #handler: StopHandler;
  readonly #threads = new Set<Tid>();
  /** Of other processes that have our process's memory. */
  readonly #borrowers = new Set<Tid>();
  #entry: { readonly address: TraceeAddress; readonly original: Buffer } | undefined;
  #isLetGo = false;

  /** `task` stands at its exec. */
  constructor(task: Tid, handler: StopHandler) {
    this.process = pid(task);
    this.#handler = handler;
    this.#threads.add(task);
  }

  get threads(): ReadonlySet<Tid> {
    return this.#threads;
  }

  /** To the program's first instruction. */
  begin(): void {
    this.#awaitEntry();
    this.goOn(tid(this.process));
  }

  handle(task: Tid, stop: TraceeStop): void {
    switch (stop.kind) {
      case 'started':
        return this.#started(task);
      case 'execed':
        return this.#execed(task);
      case 'signal':
        return this.#signalled(task, stop.signal);
      case 'group-stop':
        return this.#isLetGo ? detach(task) : listen(task);
      case 'exiting':
        this.#handler.lost(task);
        return this.goOn(task);
      case 'gone':
        return this.#gone(task, stop.status);
      case 'forked':
      case 'seccomp':
      case 'syscall':
        return this.goOn(task);
    }
    unreachable(stop, 'stop');
  }

  /** Lets a task go on that stands, but not at a breakpoint. */
  goOn(task: Tid, signal = 0): void {
    if (this.#isLetGo) {
      // The memory that it shared may be its own by now.
      if (this.#borrowers.delete(task)) this.breakpoints?.removeFromCopy(pid(task));
      detach(task, signal);
    } else resume(task, 'freely', signal);
  }

  /** Nobody of them would stop by itself, as a child of vfork that outlives its parent: they are made to. */
  stopBorrowers(): void {
    for (const task of this.#borrowers) ignoringTheDead(() => interrupt(task));
  }

  /** One that stands at a breakpoint, with these registers. */
  pass(task: Tid, { address, registers }: Hit): void {
    if (this.#isLetGo || this.breakpoints === undefined) this.goOn(task);
    else this.breakpoints.pass(task, address, registers);
  }

  /** From here on nobody is stopped any more; `standing` are those who are. */
  letGo(standing: readonly Tid[]): void {
    if (this.#isLetGo) return;
    // It may have ended since.
    void tryTo(() => this.#restoreEntry(this.process));
    void tryTo(() => this.breakpoints?.removeAll());
    this.#isLetGo = true;
    for (const task of standing) ignoringTheDead(() => this.goOn(task));
  }

  #started(task: Tid): void {
    if (existsSync(`/proc/${this.process}/task/${task}`)) {
      this.#threads.add(task);
      return this.goOn(task);
    }
    // Before the loader is done, nobody can say; then it is looked at when it stops next.
    const isUnknown = !this.#isLetGo && this.breakpoints === undefined;
    if (isUnknown || this.#sharesMemory(task)) {
      this.#borrowers.add(task);
      return this.goOn(task);
    }
    this.#leave(task);
  }

  /** Whether it runs in our process's own memory; not if nothing of us is left there. */
  #sharesMemory(task: Tid): boolean {
    if (this.#isLetGo) return false;
    const shares = tryTo(() => this.breakpoints?.isSharedWith(pid(task)));
    return shares.ok && shares.value === true;
  }

  /** It has a copy of the memory, perhaps of a time when there were breakpoints in it. */
  #leave(task: Tid): void {
    this.#borrowers.delete(task);
    this.breakpoints?.removeFromCopy(pid(task));
    detach(task);
  }

  #execed(task: Tid): void {
    if (this.#isLetGo || task !== tid(this.process)) {
      this.#borrowers.delete(task);
      return detach(task);
    }
    // All but one thread are gone, and all that was in memory.
    for (const thread of this.#threads) this.#handler.lost(thread);
    this.#threads.clear();
    this.#threads.add(task);
    this.breakpoints = undefined;
    this.begin();
  }

  #signalled(task: Tid, signal: number): void {
    if (signal === Signal.SIGTRAP) {
      if (this.#isAtEntry(task)) return this.#arrived(task);
      const hit = this.breakpoints?.hitBy(task);
      if (hit) {
        const isOurs = hit.isIn && !this.#isLetGo && !this.#borrowers.has(task);
        if (isOurs) return this.#handler.hit(task, hit);
        return hit.isIn ? this.pass(task, hit) : this.goOn(task);
      }
    }
    this.breakpoints?.pullBack(task);
    this.goOn(task, signal);
  }

  #gone(task: Tid, status: number): void {
    this.#threads.delete(task);
    this.#borrowers.delete(task);
    this.#handler.lost(task);
    if (task !== tid(this.process)) return;
    this.status = status;
    this.#isLetGo = true;
  }

  #awaitEntry(): void {
    // A program of another kind than ours need not have one that we understand.
    const found = tryTo(() => {
      const address = programEntry(this.process);
      if (address === undefined) return undefined;
      const original = readMemory(tid(this.process), address, INT3.length);
      writeCode(this.process, address, INT3);
      return { address, original };
    });
    this.#entry = found.ok ? found.value : undefined;
  }

  #isAtEntry(task: Tid): boolean {
    const after = this.#entry && this.#entry.address + BigInt(INT3.length);
    return after !== undefined && isAtInt3(task) && readRegisters(task).instruction === after;
  }

  #arrived(task: Tid): void {
    const { address } = this.#entry!;
    const registers = readRegisters(task);
    registers.set('rip', address);
    writeRegisters(task, registers);
    this.#restoreEntry(pid(task));
    if (!this.#threads.has(task)) {
      // It was forked by a library's constructor, and goes its own way.
      this.#borrowers.delete(task);
      return detach(task);
    }
    this.#entry = undefined;
    if (!this.#isLetGo) this.#handler.arrived(task);
    this.goOn(task);
  }

  #restoreEntry(process: Pid): void {
    if (this.#entry) writeCode(process, this.#entry.address, this.#entry.original);
  }
}
