/**
 * A program under trace, with all its threads from their start, or from when we attached to it: which of them
 * there are, who comes and goes, and how to get out of its way again.
 *
 * Other processes are let go of at their first stop, with the breakpoints removed from their copy of the
 * memory. A child of vfork has no copy, and stays with us until it executes something.
 *
 * Nobody has to be stopped in order to be let go of: who stands is let go at once, and the others when something
 * stops them, be it only their end. Until then nothing of us is left in their code. Whoever cannot wait for that
 * calls `stopThreads`.
 */
import { existsSync } from 'node:fs';
import { unreachable } from '../base/assert.ts';
import { tryTo } from '../base/result.ts';
import { type Breakpoints, type Hit, INT3, isAtInt3 } from '../linux/breakpoints.ts';
import { type Pid, pid, type Tid, type TraceeAddress, tid } from '../linux/ids.ts';
import { isIgnored } from '../linux/ignored-signals.ts';
import { makeInterruptedCallAgain } from '../linux/interrupted-call.ts';
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
import type { Registers } from '../linux/registers.ts';
import { Signal } from '../linux/signals.ts';
import { ignoringTheDead, type TraceeStop } from '../linux/tracee-stop.ts';
import { LateTraps } from './late-traps.ts';
import { Newcomers } from './newcomers.ts';

/** What of us is in the code: linux/breakpoints.ts, or any other that knows these. */
export interface ProcessBreakpoints {
  /** For a thread that has stopped with SIGTRAP; undefined if that has nothing to do with us. */
  hitBy(task: Tid): Hit | undefined;
  /** Lets one go on that stands at a breakpoint, with these registers. */
  pass(task: Tid, address: TraceeAddress, registers: Registers): void;
  /** Before a signal is delivered to a thread, which is to see it where it would be without us. */
  pullBack?(task: Tid): void;
  removeAll(): void;
  removeFromCopy(child: Pid): void;
  isSharedWith(other: Pid): boolean;
}

/** Who decides what is done at stops that are about the race. */
export interface StopHandler {
  /** The loader is done; `task` stands before the program's first instruction. */
  arrived(task: Tid): 'goes on' | 'held';
  /** `task` stands at a breakpoint until the handler lets it go on. */
  hit(task: Tid, hit: Hit): void;
  /** It is no longer there to be held. */
  lost(task: Tid): void;
  /** A thread of the program is about to go on, or to be let go. */
  goesOn?(task: Tid): void;
  /** SIGTRAP that is no breakpoint's: `held` stands until the handler lets it go on; `foreign` gets its signal. */
  trapped?(task: Tid): 'held' | 'passes' | 'foreign';
  /** Other code runs from now on, beginning with its loader. */
  execed?(): void;
}

export class TracedProcess<Kind extends ProcessBreakpoints = Breakpoints> {
  readonly process: Pid;
  /** Its raw wait status, once it has ended. */
  status: number | undefined;
  /** In the code that is running now; undefined until the loader is done. */
  breakpoints: Kind | undefined;
  readonly #handler: StopHandler;
  readonly #threads = new Set<Tid>();
  /** Of other processes that have our process's memory. */
  readonly #borrowers = new Set<Tid>();
  readonly #newcomers = new Newcomers();
  #entry: { readonly address: TraceeAddress; readonly original: Buffer } | undefined;
  readonly #lateTraps = new LateTraps();
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

  /** Whether somebody is traced by us still, or about to be. */
  get isTraced(): boolean {
    return this.#threads.size + this.#borrowers.size > 0 || this.#newcomers.areExpected;
  }

  /** One that we have attached to. */
  adopt(task: Tid): void {
    this.#threads.add(task);
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
        return this.#isLetGo ? this.goOn(task) : listen(task);
      case 'exiting':
        this.#handler.lost(task);
        return this.goOn(task);
      case 'gone':
        return this.#gone(task, stop.status);
      case 'forked':
        this.#newcomers.announced(stop.child);
        return this.goOn(task);
      case 'seccomp':
      case 'syscall':
        return this.goOn(task);
    }
    unreachable(stop, 'stop');
  }

  /** Lets a task go on that stands, but not at a breakpoint. */
  goOn(task: Tid, signal = 0): void {
    if (this.#threads.has(task)) this.#handler.goesOn?.(task);
    if (!this.#isLetGo) return resume(task, 'freely', signal);
    // The memory that it shared may be its own by now.
    if (this.#borrowers.delete(task)) this.breakpoints?.removeFromCopy(pid(task));
    if (this.#lateTraps.isComing(task)) return resume(task, 'freely', signal);
    detach(task, signal);
    this.#threads.delete(task);
  }

  /** Nobody of them would stop by itself, as a child of vfork that outlives its parent: they are made to. */
  stopBorrowers(): void {
    for (const task of this.#borrowers) ignoringTheDead(() => interrupt(task));
  }

  /** For those who must not wait until they stop by themselves. */
  stopThreads(): void {
    for (const task of this.#threads) ignoringTheDead(() => interrupt(task));
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
    if (this.#threads.has(task)) {
      makeInterruptedCallAgain(task);
      return this.goOn(task);
    }
    this.#newcomers.arrived(task);
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
      if (task === tid(this.process)) this.#threads.clear();
      return detach(task);
    }
    // All but one thread are gone, and all that was in memory.
    for (const thread of this.#threads) this.#handler.lost(thread);
    this.#threads.clear();
    this.#threads.add(task);
    this.breakpoints = undefined;
    this.#handler.execed?.();
    this.begin();
  }

  #signalled(task: Tid, signal: number): void {
    if (signal === Signal.SIGTRAP) {
      this.#lateTraps.came(task);
      if (this.#isAtEntry(task)) return this.#arrived(task);
      const hit = this.breakpoints?.hitBy(task);
      if (hit) {
        const isOurs = hit.isIn && !this.#isLetGo && !this.#borrowers.has(task);
        if (isOurs) return this.#handler.hit(task, hit);
        return hit.isIn ? this.pass(task, hit) : this.goOn(task);
      }
      const trapped = this.#handler.trapped?.(task) ?? 'foreign';
      if (trapped === 'held' && !this.#isLetGo) return;
      if (trapped !== 'foreign') return this.goOn(task);
    }
    this.breakpoints?.pullBack?.(task);
    // Only who is traced is woken by these.
    if (isIgnored(task, signal)) makeInterruptedCallAgain(task);
    this.goOn(task, signal);
  }

  #gone(task: Tid, status: number): void {
    this.#threads.delete(task);
    this.#borrowers.delete(task);
    this.#newcomers.gone(task);
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
    const isHeld = !this.#isLetGo && this.#handler.arrived(task) === 'held';
    if (!isHeld) this.goOn(task);
  }

  #restoreEntry(process: Pid): void {
    if (this.#entry) writeCode(process, this.#entry.address, this.#entry.original);
  }
}
