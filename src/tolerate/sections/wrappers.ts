/**
 * Functions that take a lock for their caller, and return with it:
 *
 *   void lock_account(struct account *a) { pthread_mutex_lock(&a->lock); }          always
 *   int try_account(struct account *a) { return pthread_mutex_trylock(&a->lock); }  if they return 0
 *
 * One that may return either with the lock or without it, and does not say so by 0, begins sections that nobody
 * can find from outside.
 */
import { err, type Result as Outcome, ok } from '../../base/result.ts';
import type { FunctionFacts } from './function-facts.ts';
import { type HeldLocks, NOTHING_HELD } from './held-locks.ts';
import { Result } from './lock-result.ts';
import type { ProgramCode, ProgramFunction } from './program-code.ts';
import { traverse } from './traversal.ts';

export interface Wrapper {
  /** The lock was taken only if it returns 0. */
  readonly ifZero: boolean;
}

export function wrapperOf(
  program: ProgramCode,
  facts: FunctionFacts,
  locks: HeldLocks,
  one: ProgramFunction,
): Outcome<Wrapper, string> {
  const { exits, isTooLarge } = traverse(program, facts, locks, {
    ...{ spot: one.first, held: NOTHING_HELD, result: Result.unknown, goesOn: true },
  });
  if (isTooLarge || exits.length === 0) return err('no way leads to where its lock is let go of');
  const [taken, not] = [
    exits.filter(({ held }) => held !== NOTHING_HELD),
    exits.filter(({ held }) => held === NOTHING_HELD),
  ];
  if (taken.some(({ held }) => locks.locks(held).length > 1)) {
    return err(`${one.code.name} returns with several locks`);
  }
  if (not.length === 0) return ok({ ifZero: false });
  const isTold =
    taken.every(({ result }) => result === Result.zero) &&
    not.every(({ result }) => result === Result.other);
  return isTold
    ? ok({ ifZero: true })
    : err(`${one.code.name} returns with the lock, or without it, and does not say which`);
}
