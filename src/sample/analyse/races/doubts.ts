/**
 * What there is to doubt of a race, however often it was seen: it is told, but no surer than that. The first one that
 * holds is told.
 */
import type { Confidence } from '../../../report/model.ts';
import type { FoundPair } from './found-pairs.ts';

export interface Doubt {
  /** No surer than this. */
  readonly most: Confidence;
  /** For people, after "low, since". */
  readonly why: string;
}

/** What the code of both sides, and of the program, tells. */
export interface CodeDoubts {
  readonly isAtomicSide: boolean;
  /** Of an allocator that the agent cannot see. */
  readonly isUnseenMemory: boolean;
  /** Those who took them need not hold them. */
  readonly hasUncertainLocks: boolean;
  /** By words that are atomic by their types. */
  readonly isHandedOver: boolean;
  /** How many of both look locked by what the program has made itself. */
  readonly homeMadeLocks: number;
}

export function doubtOf(pair: FoundPair, code: CodeDoubts): Doubt | undefined {
  if (pair.isAcrossRuns) return low('its sides were seen in different runs only');
  if (code.isUnseenMemory)
    return low('the program has an allocator of its own, and it may be another block each time');
  if (code.isAtomicSide) return low('one side is atomic, and the other may be meant to be');
  if (pair.isAtomicElsewhere)
    return low('the same bytes are changed by atomic instructions elsewhere');
  if (code.hasUncertainLocks)
    return low('locks of the program are let go by other threads than those that took them');
  if (code.isHandedOver)
    return low('both sides hand something over to each other by atomic variables');
  if (code.homeMadeLocks === 2)
    return low("both sides look locked by a lock of the program's own making");
  if (code.homeMadeLocks === 1)
    return { most: 'medium', why: "one side looks locked by a lock of the program's own making" };
  return undefined;
}

const low = (why: string): Doubt => ({ most: 'low', why });
