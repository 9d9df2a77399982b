/** A race that was caught: who stood before which access, who touched the same bytes meanwhile, and how we know. */
import type { Runner, RunnerRegisters } from './debug-target.ts';
import type { WatchedAccess } from './watched-access.ts';
import type { PlacedInstruction } from './watched-code.ts';

/**
 * `watchpoint`: the processor has stopped the other one right behind its access. `meeting`: both stood before
 * their accesses at the same moment. `value comparison`: the bytes are not what they were, and nobody knows who
 * has changed them.
 */
export type Strategy = 'watchpoint' | 'meeting' | 'value comparison';

/** `4 bytes at 0x5014`. */
export interface ByteRange {
  readonly address: bigint;
  readonly size: number;
}

export interface CaughtSide {
  readonly runner: Runner;
  readonly registers: RunnerRegisters;
  /** undefined if nobody knows which one it was. */
  readonly place: PlacedInstruction | undefined;
  readonly isStore: boolean;
  readonly isLoad: boolean;
  /** What it touches, and not only what both do; undefined if its registers do not tell any more. */
  readonly touched: ByteRange | undefined;
}

/** What both sides touch: the last 2 bytes of 4 at 0x5010, if the other side has 8 at 0x5012. */
export function sharedBytes({ access, other }: Pick<CaughtRace, 'access' | 'other'>): ByteRange {
  const theirs = other?.touched ?? access;
  const ahead = Number(theirs.address - access.address);
  const from = Math.max(0, ahead);
  const until = Math.min(access.size, ahead + theirs.size);
  return { address: access.address + BigInt(from), size: until - from };
}

export interface CaughtRace {
  readonly strategy: Strategy;
  /** Stands before its access, which so comes after the other's. */
  readonly held: CaughtSide & { readonly place: PlacedInstruction };
  /** undefined with a value comparison. */
  readonly other: CaughtSide | undefined;
  readonly access: WatchedAccess;
  /** The bytes of `access`, when the window was opened and when the race was caught. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}
