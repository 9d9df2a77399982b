/**
 * What the watch loop needs of something that it watches: a process under ptrace (ptrace/), or whatever answers
 * at a gdb stub (gdb/), such as a kernel in QEMU. Threads of the one and processors of the other are _runners_.
 *
 *   plant(0x11a2)               runners that come to this instruction stop before it
 *   next(deadline)              …one has: { kind: 'breakpoint', runner: 7 }; it is held until it is released
 *   arm([{ 0x5040, 4 }], 7)     everybody but runner 7 stops after touching these bytes
 *   next(deadline)              …one has: { kind: 'watchpoint', runner: 9 }, or the time is up
 *   disarm, unplant, release    and everything is as it was
 *
 * Runners that are not held run while the loop waits in `next`. Between two calls a process runs on, while a gdb
 * stub has everything stand still: the loop must not rely on either.
 */
import type { RegisterName } from '../linux/registers.ts';
import type { Access, Site } from '../report/model.ts';

/** A thread by its id, a processor by its number. */
export type Runner = number;

export interface RunnerRegisters {
  get(name: RegisterName): bigint;
}

export interface CodeFunction {
  readonly name: string;
  /** The executable or library, `vmlinux`, or a kernel module. */
  readonly module: string;
  readonly start: bigint;
  readonly end: bigint;
}

/** Bytes that are watched by one debug register: an aligned 1, 2, 4 or 8. */
export interface WatchedBytes {
  readonly address: bigint;
  readonly size: 1 | 2 | 4 | 8;
}

/** Which accesses of the others conflict: a store with all, a load with stores only. */
export type WatchedFor = 'store' | 'load-or-store';

/** Something that is armed. */
export interface Watch {
  readonly pieces: readonly WatchedBytes[];
}

/** When a target may open windows by itself, while we would still be on our way. Times are those of performance.now(). */
export interface WindowPlan {
  /** Whoever comes earlier, or besides, may be told of as usual, or go on. */
  readonly from: number;
  /** So much later another window is due, … */
  readonly everyMs: number;
  /** … and so long ago it may have been due when somebody comes at last. */
  readonly savedMs: number;
  readonly windowMs: number;
}

/** A window that a target has opened by itself, and that is still open: something has happened in it. */
export interface OpenedWindow {
  /** The address that the instruction touches. */
  readonly touched: bigint;
  /** What was there. */
  readonly before: Uint8Array;
  readonly heldSince: number;
  readonly openedAt: number;
  readonly watch: Watch;
}

/** One in which nothing has happened, and the runner has gone on. */
export interface QuietWindow {
  readonly runner: Runner;
  /** Of the instruction that it stood before. */
  readonly address: bigint;
  readonly registers: RunnerRegisters;
  readonly touched: bigint;
  readonly heldSince: number;
  readonly openedAt: number;
  readonly overAt: number;
}

export type TargetEvent =
  /** Stands before the instruction at `address`. */
  | {
      readonly kind: 'breakpoint';
      readonly runner: Runner;
      readonly address: bigint;
      readonly registers: RunnerRegisters;
      readonly window?: OpenedWindow;
    }
  /** Stands behind the instruction that touched the bytes. */
  | {
      readonly kind: 'watchpoint';
      readonly runner: Runner;
      readonly watch: Watch;
      readonly registers: RunnerRegisters;
    }
  /** `passed`: where runners came when there was no time for it, and have gone on. */
  | {
      readonly kind: 'quiet';
      readonly windows: readonly QuietWindow[];
      readonly passed: readonly bigint[];
    }
  /** A runner that was held is gone: it need not be released, and nothing can be asked of it. */
  | { readonly kind: 'lost'; readonly runner: Runner }
  /** Code came or went: `functions` says something else now, and what was planted in code that is gone is forgotten. */
  | { readonly kind: 'code-changed' }
  | { readonly kind: 'deadline' }
  | { readonly kind: 'ended'; readonly end: TargetEnd };

export interface TargetEnd {
  readonly code?: number;
  readonly signal?: string;
  /** It is not the program that ended, but our hold on it: the gdb stub has gone away. */
  readonly lostBecause?: string;
}

/** Who a runner is at the moment. */
export type RunnerName = Pick<Access, 'process' | 'pid' | 'thread' | 'threadName'> & {
  readonly processor?: number;
};

export interface Variable {
  /** `counter`, `table[3].next` */
  readonly name: string;
  /** As far as debug information knows its type. */
  readonly isAtomic: boolean;
}

export interface DebugTarget {
  /** Nothing runs before `next` is called: what takes long is best done now. */
  readonly waitsToBegin?: boolean;
  /** A runner may have gone on from where it touched watched bytes before it stands, and is told of. */
  readonly mayTellLate?: boolean;
  /** What is planted for later stands only then: it can be planned for a while what is to be looked at. */
  readonly plansAhead?: boolean;
  /** Whose code may be sampled. */
  functions(): Promise<readonly CodeFunction[]>;
  /** Any code, be it sampled or not; undefined if nobody knows. */
  functionAt(address: bigint): Promise<CodeFunction | undefined>;
  /**
   * Words of which some are addresses of code that was run since the last call; a hint, and perhaps none. `goesOn`: it is
   * looked for until the next one, which the program may feel.
   */
  running?(goesOn: boolean): Promise<readonly bigint[]>;
  /**
   * Shorter, or empty, where there is nothing; code as it is without breakpoints. `seenBy`: of a machine whose
   * processors run different programs, the memory of these is that of a runner.
   */
  read(address: bigint, size: number, seenBy?: Runner): Promise<Uint8Array>;
  /** Those of the addresses at which a breakpoint stands now, or from then on; not where code has gone. */
  plant(addresses: readonly bigint[], from?: number): Promise<readonly bigint[]>;
  unplant(addresses: readonly bigint[]): Promise<void>;
  /**
   * What happens next; 'deadline' at that time of performance.now() at the latest, or if `wake` was called. Unless it
   * is to be exact, it may be a millisecond or two late. `plan`: there may be windows meanwhile.
   */
  next(deadline: number, isExact?: boolean, plan?: WindowPlan): Promise<TargetEvent>;
  wake(): void;
  /** For everybody but `holder`, new ones too. undefined if registers are too few, or these bytes cannot be watched. */
  arm(pieces: readonly WatchedBytes[], on: WatchedFor, holder: Runner): Promise<Watch | undefined>;
  disarm(watch: Watch): Promise<void>;
  /** Lets a runner go on that an event was about, with the instruction that it stands before. */
  release(runner: Runner): Promise<void>;
  /** How many runners there are besides those that are held: a window with nobody else is for nothing. */
  othersRunning(): number;
  who(runner: Runner): Promise<RunnerName>;
  /** Of a runner that is held; innermost first. */
  stack(runner: Runner, registers: RunnerRegisters): Promise<Site[]>;
  /** An instruction, with those functions that it was inlined into; at least one. */
  sitesAt(address: bigint): Promise<Site[]>;
  /** `counter`, `heap`, …; '' if nothing is known. */
  dataName(address: bigint, runner: Runner, registers: RunnerRegisters): Promise<string>;
  /** The global variable there, if it has a name. */
  variableAt?(address: bigint): Promise<Variable | undefined>;
  /** Everybody is let go; nothing of us is left in code or registers. */
  leave(): Promise<void>;
}
