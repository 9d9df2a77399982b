/** What a traversal has found on all ways through a section. */
import type { HeldId } from './held-locks.ts';
import type { Result } from './lock-result.ts';
import type { ProgramFunction, Spot } from './program-code.ts';

export interface Traversed {
  /** Places inside, in the frame in which the section began. */
  readonly rootSpots: Set<Spot>;
  /** Those in functions that are called, and have to do with locks. */
  readonly calledSpots: Set<Spot>;
  /** Functions that are called, and have not. */
  readonly whole: Set<ProgramFunction>;
  /** Unlocks after which nothing may be held. */
  readonly endingUnlocks: Set<Spot>;
  /** Calls that may come back with nothing held. */
  readonly endingCalls: Set<Spot>;
  /** Ways out of the first frame with something held. */
  readonly leaves: Set<Spot>;
  nests: 'statically' | 'dynamically' | undefined;
  overlaps: boolean;
  /** Whether on some way all locks are let go of. */
  ends: boolean;
  /** How the first frame is left. */
  exits: readonly { readonly held: HeldId; readonly result: Result }[];
  isTooLarge: boolean;
  /** Why it cannot be isolated. */
  obstacle: string | undefined;
}

export const newTraversed = (): Traversed => ({
  rootSpots: new Set(),
  calledSpots: new Set(),
  whole: new Set(),
  endingUnlocks: new Set(),
  endingCalls: new Set(),
  leaves: new Set(),
  nests: undefined,
  overlaps: false,
  ends: false,
  exits: [],
  isTooLarge: false,
  obstacle: undefined,
});
