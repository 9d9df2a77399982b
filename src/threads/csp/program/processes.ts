/**
 * What threads wait for, as CSP processes: FORK, JOIN and MUTEX are those of the paper, the others are in
 * its manner. A model has those that its trace needs. `search/machine.ts` does the same with numbers.
 */

import { assert } from '../../../base/assert.ts';
import type { Definition } from '../algebra/script.ts';
import { parseCspm } from '../cspm/parser.ts';
import type { Family } from './step.ts';

/** By family: its channels, with what stands in their fields, and its processes. */
export const FAMILIES: Readonly<
  Record<Family, { readonly channels: readonly string[]; readonly processes: string }>
> = {
  fork: {
    channels: ['fork : Thread.Thread', 'start : Thread'],
    processes: `
      FORK(i) = fork?t!i -> FORKED(i)
      FORKED(i) = start.i -> STOP`,
  },
  join: {
    channels: ['join : Thread.Thread', 'end : Thread'],
    processes: `
      JOIN(i) = end.i -> JOINED(i)
      JOINED(i) = join?t!i -> JOINED(i)`,
  },
  lock: {
    channels: ['lock, unlock, lockshared, unlockshared : Thread.Lock'],
    processes: `
      MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)
      MUTEX_HELD(i, t) = unlock.t.i -> MUTEX(i)
      RWLOCK(i, n) =
        n == 0 & lock?t!i -> unlock.t.i -> RWLOCK(i, 0) []
        lockshared?t!i -> RWLOCK(i, n + 1) []
        n != 0 & unlockshared?t!i -> RWLOCK(i, n - 1)
      RWLOCK_HELD(i, t) = unlock.t.i -> RWLOCK(i, 0)`,
  },
  // A signal wakes one of those who wait when it comes; a broadcast wakes all of them.
  condition: {
    channels: ['waitbegin, woken, lapsed, waitend, wake, signal, broadcast : Thread.Condition'],
    processes: `
      WAITER(i, t) =
        waitbegin.t.i -> WAITER_WAITING(i, t) [] broadcast?u!i -> WAITER(i, t)
      WAITER_WAITING(i, t) =
        wake.t.i -> WAITER_WOKEN(i, t) []
        broadcast?u!i -> WAITER_WOKEN(i, t) []
        lapsed.t.i -> WAITER(i, t)
      WAITER_WOKEN(i, t) =
        woken.t.i -> WAITER(i, t) []
        lapsed.t.i -> WAITER(i, t) []
        broadcast?u!i -> WAITER_WOKEN(i, t)
      SIGNALS(i) =
        waitbegin?t!i -> SIGNALS(i) []
        broadcast?t!i -> SIGNALS(i) []
        signal?t!i -> (wake?u!i -> SIGNALS(i) [] SIGNALS(i))`,
  },
  semaphore: {
    channels: ['post, waitdone : Thread.Semaphore'],
    processes: `
      SEMAPHORE(i, n) =
        post?t!i -> SEMAPHORE(i, n + 1) [] n != 0 & waitdone?t!i -> SEMAPHORE(i, n - 1)`,
  },
  // The last field says how many must have arrived before.
  barrier: {
    channels: ['arrive, leave : Thread.Barrier.Count'],
    processes: `
      BARRIER(i, n) =
        arrive?t!i?k:{0..n} -> BARRIER(i, n + 1) [] leave?t!i?k:{0..n} -> BARRIER(i, n)`,
  },
  once: {
    channels: ['oncebegin, onceend : Thread.Once', 'oncepass : Thread.Once.Count'],
    processes: `
      ONCE(i, n) = oncebegin?t!i -> ONCE_RUNNING(i, n) [] oncepass?t!i!n -> ONCE(i, n)
      ONCE_RUNNING(i, n) = onceend?t!i -> ONCE(i, n + 1)`,
  },
  // Stores have numbers; a load names the one that it finds.
  variable: {
    channels: ['load, store : Thread.Variable.Count', 'update : Thread.Variable.Count.Count'],
    processes: `
      VARIABLE(i, n) =
        load?t!i!n -> VARIABLE(i, n) []
        store?t!i?k -> VARIABLE(i, k) []
        update?t!i!n?k -> VARIABLE(i, k)`,
  },
};

/** Whatever the fields of channels can be made of. */
export const FIELD_TYPES = [
  'Thread',
  'Lock',
  'Condition',
  'Semaphore',
  'Barrier',
  'Once',
  'Variable',
] as const;

/** The definitions of a family's processes. */
export function processesOf(family: Family): readonly Definition[] {
  const { channels, processes } = FAMILIES[family];
  const types = FIELD_TYPES.map((type) => `datatype ${type} = any_${type}`).join('\n');
  const declarations = `${types}\nCount = {0..0}\n${channels.map((one) => `channel ${one}`).join('\n')}`;
  const parsed = parseCspm(`${declarations}\n${processes}`);
  assert(parsed.ok, `processes of ${family}`);
  return parsed.value.filter((definition) => definition.kind === 'process');
}
