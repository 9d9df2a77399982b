/**
 * Which library functions take locks, let go of them, or wait for conditions. Their names are those by which a
 * program imports them: std::mutex and std::lock_guard come down to pthread_mutex_lock, inlined or not.
 */

/** `read lock`: that of a read-write lock, which others may have, too: a section under it is not isolated. */
export type LockKind = 'mutex' | 'write lock' | 'read lock' | 'spin lock';

export type LockCall =
  | { readonly does: 'lock'; readonly kind: LockKind; readonly ifZero: boolean }
  | { readonly does: 'unlock' }
  | { readonly does: 'wait' };

const locks = (kind: LockKind, names: readonly string[], ifZero = false): [string, LockCall][] =>
  names.map((name) => [name, { does: 'lock', kind, ifZero }]);

const LOCK_CALLS: ReadonlyMap<string, LockCall> = new Map<string, LockCall>([
  ...locks('mutex', ['pthread_mutex_lock', 'mtx_lock']),
  ...locks(
    'mutex',
    [
      ...['pthread_mutex_trylock', 'pthread_mutex_timedlock', 'pthread_mutex_clocklock'],
      ...['mtx_trylock', 'mtx_timedlock'],
    ],
    true,
  ),
  ...locks('spin lock', ['pthread_spin_lock']),
  ...locks('spin lock', ['pthread_spin_trylock'], true),
  ...locks('write lock', ['pthread_rwlock_wrlock']),
  ...locks(
    'write lock',
    ['pthread_rwlock_trywrlock', 'pthread_rwlock_timedwrlock', 'pthread_rwlock_clockwrlock'],
    true,
  ),
  ...locks('read lock', ['pthread_rwlock_rdlock']),
  ...locks(
    'read lock',
    ['pthread_rwlock_tryrdlock', 'pthread_rwlock_timedrdlock', 'pthread_rwlock_clockrdlock'],
    true,
  ),
  ...['pthread_mutex_unlock', 'mtx_unlock', 'pthread_spin_unlock', 'pthread_rwlock_unlock'].map(
    (name): [string, LockCall] => [name, { does: 'unlock' }],
  ),
  ...[
    ...['pthread_cond_wait', 'pthread_cond_timedwait', 'pthread_cond_clockwait'],
    ...['cnd_wait', 'cnd_timedwait'],
    '_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE',
  ].map((name): [string, LockCall] => [name, { does: 'wait' }]),
]);

export const lockCall = (name: string): LockCall | undefined => LOCK_CALLS.get(name);

/** C11's mtx_trylock and kin say thrd_success, which is 0 as well. */
export const takesLocks = (names: Iterable<string>): boolean => {
  for (const name of names) if (LOCK_CALLS.get(name)?.does === 'lock') return true;
  return false;
};
