/**
 * What the rewriter has to know of a critical section, and what people are told of it.
 *
 *   1139  call pthread_mutex_lock     entry: isolation begins when it has returned
 *   113e  mov eax,[total]             redirect: goes to the private copy
 *   1144  call add_interest           call: goes to the clone of add_interest that is made for sections
 *   1149  call puts                   commit: what it looks at has to be in memory
 *   114e  call pthread_mutex_unlock   unlock: copies are resolved; nothing is held any more, so the original goes on
 *
 * A section reaches from where its lock was taken to where no lock is held any more that was taken since: if
 * another lock is taken within and let go of later (nested, overlapped), it goes on until then. Where that is
 * may be in another function, and hang on the way that was taken; so the clone counts locks as it runs, and
 * `mayEnd` says where to look whether the last is gone. Isolation may always end early: what is left of the
 * section then runs as it would have without us.
 *
 * All addresses are those of the image. What stands in no action is copied as it is.
 */
import type { FunctionCode } from '../../binary/code/function-code.ts';
import type { LockKind } from './lock-calls.ts';

export interface SectionPlan {
  /** From 1, in the order of their entries. */
  readonly number: number;
  readonly entry: SectionEntry;
  readonly facts: SectionFacts;
  readonly verdict: SectionVerdict;
  /** The code that runs inside; the first is the function of the entry. Complete only if it is to be isolated. */
  readonly parts: readonly SectionPart[];
}

export interface SectionEntry {
  /** The function that the call is in. */
  readonly code: FunctionCode;
  /** Of the call of what takes the lock, or of a wrapper of that. */
  readonly address: number;
  /** Where isolation begins, unless `ifZero` and eax is not 0. */
  readonly next: number;
  /** The lock may not have been taken: it was if eax is 0. */
  readonly ifZero: boolean;
  readonly kind: LockKind;
  /** `balance_lock`, `0x4060`; `?` if it is found by a pointer. */
  readonly lock: string;
  /** Its address, if it always is the same. */
  readonly lockAddress: number | undefined;
  /** The wrapper that is called, if it is one. */
  readonly wrapper: string | undefined;
}

export type SectionVerdict =
  | { readonly isolate: true }
  /** For people: 'it calls longjmp, which jumps out of functions'. */
  | { readonly isolate: false; readonly reason: string };

export interface SectionPart {
  readonly code: FunctionCode;
  /**
   * `root`: the frame in which the section began, and to whose caller only the original returns: also functions
   * that it jumps to. `called`: what calls lead to. A function may be both, and then has two clones.
   */
  readonly frame: 'root' | 'called';
  /** 1 for each instruction that may run inside: the others need no clone. */
  readonly isInside: Uint8Array;
  /** By the instruction's address. */
  readonly actions: ReadonlyMap<number, InsideAction>;
}

/** What the clone of an instruction does, if it is not just what the instruction does. */
export type InsideAction =
  /** Memory that others may see: those of `Instruction.memory` with these indices go to private copies. */
  | { readonly kind: 'redirect'; readonly operands: readonly number[] }
  /** Copies are written to memory before it, and read anew after it. */
  | { readonly kind: 'commit'; readonly why: CommitReason }
  /** To a function that has a part here, by its start; also a jump to it. */
  | { readonly kind: 'call'; readonly target: number; readonly mayEnd: boolean }
  /** memcpy and its kin, which can be done on copies. */
  | { readonly kind: 'memory call'; readonly name: string }
  /** Another lock, or the same once more. */
  | { readonly kind: 'lock'; readonly lock: LockKind; readonly ifZero: boolean }
  | { readonly kind: 'unlock'; readonly mayEnd: boolean }
  /** For a condition: lets go of the lock meanwhile. */
  | { readonly kind: 'wait' }
  /** A call by which an exception leaves the frame in which it began: copies are resolved, and isolation is over. */
  | { readonly kind: 'leave' };

/**
 * `library`: a function that is not cloned. `never back`: one of the program that ends it. `computed call`: through a pointer. `atomic`: a lock prefix.
 * `string`: rep movs and its kin. `wide`: a gather or scatter, or more than a vector. `spin`: waits for another
 * thread. `fence`: orders accesses, for others to see. `system`: a system call.
 */
export type CommitReason =
  | 'library'
  | 'never back'
  | 'computed call'
  | 'atomic'
  | 'string'
  | 'wide'
  | 'spin'
  | 'fence'
  | 'system';

export interface SectionFacts {
  /** Names, in order. */
  readonly libraryCalls: readonly string[];
  /** Those of them that are done on copies: memcpy and its kin. */
  readonly memoryCalls: readonly string[];
  readonly computedCalls: number;
  /** Functions of the program that are called within. */
  readonly ownCalls: readonly string[];
  /** Whether memory that others may see is touched in a loop, or by a recursive function. */
  readonly touchesInLoops: boolean;
  readonly waits: boolean;
  /** Another lock is taken within: in the function of the entry, or in one that it calls. */
  readonly nests: 'no' | 'statically' | 'dynamically';
  /** A lock that was taken within outlives the first one. */
  readonly overlaps: boolean;
  /** Some way out of the frame in which it began still has a lock, or a jump there is computed: isolation ends there. */
  readonly leaves: boolean;
  /** Instructions that touch memory that others may see. */
  readonly candidates: number;
  /** At most so many words are copied; undefined if nobody can say: in loops, and by memory calls. */
  readonly mostWords: number | undefined;
  readonly instructions: number;
}
