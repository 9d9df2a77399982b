/*
 * All locks of pthreads and C11. What takes one and what lets it go differ in nothing but names:
 *
 *   TAKES(pthread_mutex_lock, (pthread_mutex_t * lock), (lock), 0)
 *
 * No caller is looked at, and nothing is logged: this is what every lock of the program costs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "../real.h"
#include "locks.h"

typedef pthread_mutex_t mutex;
typedef pthread_rwlock_t rwlock;
typedef pthread_spinlock_t spinlock;
typedef const struct timespec *deadline;

/* A robust mutex whose owner has died is held, too. */
#define TAKES(name, parameters, arguments, shared)                                                 \
  DH_REAL(int, name, parameters, arguments)                                                        \
  DH_HOOK int name parameters {                                                                    \
    dh_lock_begin();                                                                               \
    int result = real_##name arguments;                                                            \
    if (__builtin_expect(result == 0 || result == EOWNERDEAD, 1))                                  \
      dh_lock_add((const void *)lock, shared);                                                     \
    dh_lock_end();                                                                                 \
    return result;                                                                                 \
  }

#define LETS_GO(name, parameters)                                                                  \
  DH_REAL(int, name, parameters, (lock))                                                           \
  DH_HOOK int name parameters {                                                                    \
    dh_lock_begin();                                                                               \
    dh_lock_remove((const void *)lock);                                                            \
    int result = real_##name(lock);                                                                \
    dh_lock_end();                                                                                 \
    return result;                                                                                 \
  }

TAKES(pthread_mutex_lock, (mutex * lock), (lock), 0)
TAKES(pthread_mutex_trylock, (mutex * lock), (lock), 0)
TAKES(pthread_mutex_timedlock, (mutex * lock, deadline until), (lock, until), 0)
TAKES(pthread_mutex_clocklock, (mutex * lock, clockid_t clock, deadline until),
      (lock, clock, until), 0)
LETS_GO(pthread_mutex_unlock, (mutex * lock))

TAKES(pthread_rwlock_rdlock, (rwlock * lock), (lock), DH_SHARED)
TAKES(pthread_rwlock_tryrdlock, (rwlock * lock), (lock), DH_SHARED)
TAKES(pthread_rwlock_timedrdlock, (rwlock * lock, deadline until), (lock, until), DH_SHARED)
TAKES(pthread_rwlock_clockrdlock, (rwlock * lock, clockid_t clock, deadline until),
      (lock, clock, until), DH_SHARED)
TAKES(pthread_rwlock_wrlock, (rwlock * lock), (lock), 0)
TAKES(pthread_rwlock_trywrlock, (rwlock * lock), (lock), 0)
TAKES(pthread_rwlock_timedwrlock, (rwlock * lock, deadline until), (lock, until), 0)
TAKES(pthread_rwlock_clockwrlock, (rwlock * lock, clockid_t clock, deadline until),
      (lock, clock, until), 0)
LETS_GO(pthread_rwlock_unlock, (rwlock * lock))

TAKES(pthread_spin_lock, (spinlock * lock), (lock), 0)
TAKES(pthread_spin_trylock, (spinlock * lock), (lock), 0)
LETS_GO(pthread_spin_unlock, (spinlock * lock))

TAKES(mtx_lock, (mtx_t * lock), (lock), 0)
TAKES(mtx_trylock, (mtx_t * lock), (lock), 0)
TAKES(mtx_timedlock, (mtx_t * lock, deadline until), (lock, until), 0)
LETS_GO(mtx_unlock, (mtx_t * lock))

_Static_assert(thrd_success == 0, "a lock that was got is told by the same number everywhere");
_Static_assert(thrd_busy != EOWNERDEAD && thrd_timedout != EOWNERDEAD && thrd_error != EOWNERDEAD,
               "C11 knows no owners that die");
