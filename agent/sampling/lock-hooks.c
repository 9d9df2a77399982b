/*
 * All locks of pthreads and C11. What takes one and what lets it go differ in nothing but names:
 *
 *   TAKES(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), 0)
 *
 * No caller is looked at, and nothing is logged but by mutexes that hand things over: this is what every lock of the
 * program costs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "../real.h"
#include "handover.h"
#include "locks.h"

typedef pthread_mutex_t mutex;
typedef pthread_rwlock_t rwlock;
typedef pthread_spinlock_t spinlock;
typedef const struct timespec *deadline;

/* A robust mutex whose owner has died is held, too. */
#define TAKES_AND(name, parameters, arguments, shared, and_then)                                   \
  DH_REAL(int, name, parameters, arguments)                                                        \
  DH_HOOK int name parameters {                                                                    \
    dh_lock_begin();                                                                               \
    int result = real_##name arguments;                                                            \
    if (__builtin_expect(result == 0 || result == EOWNERDEAD, 1)) {                                \
      dh_lock_add((const void *)lock, shared);                                                     \
      and_then;                                                                                    \
    }                                                                                              \
    dh_lock_end();                                                                                 \
    return result;                                                                                 \
  }

#define LETS_GO_AFTER(name, parameters, first)                                                     \
  DH_REAL(int, name, parameters, (lock))                                                           \
  DH_HOOK int name parameters {                                                                    \
    dh_lock_begin();                                                                               \
    dh_lock_remove((const void *)lock);                                                            \
    first;                                                                                         \
    int result = real_##name(lock);                                                                \
    dh_lock_end();                                                                                 \
    return result;                                                                                 \
  }

#define TAKES(name, parameters, arguments, shared) TAKES_AND(name, parameters, arguments, shared, )
#define LETS_GO(name, parameters) LETS_GO_AFTER(name, parameters, )
#define TAKES_MUTEX(name, parameters, arguments)                                                   \
  TAKES_AND(name, parameters, arguments, 0, dh_handover_taken(lock))
#define LETS_GO_OF_MUTEX(name, parameters) LETS_GO_AFTER(name, parameters, dh_handover_let_go(lock))

TAKES_MUTEX(pthread_mutex_lock, (mutex * lock), (lock))
TAKES_MUTEX(pthread_mutex_trylock, (mutex * lock), (lock))
TAKES_MUTEX(pthread_mutex_timedlock, (mutex * lock, deadline until), (lock, until))
TAKES_MUTEX(pthread_mutex_clocklock, (mutex * lock, clockid_t clock, deadline until),
      (lock, clock, until))
LETS_GO_OF_MUTEX(pthread_mutex_unlock, (mutex * lock))

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

TAKES_MUTEX(mtx_lock, (mtx_t * lock), (lock))
TAKES_MUTEX(mtx_trylock, (mtx_t * lock), (lock))
TAKES_MUTEX(mtx_timedlock, (mtx_t * lock, deadline until), (lock, until))
LETS_GO_OF_MUTEX(mtx_unlock, (mtx_t * lock))

_Static_assert(thrd_success == 0, "a lock that was got is told by the same number everywhere");
_Static_assert(thrd_busy != EOWNERDEAD && thrd_timedout != EOWNERDEAD && thrd_error != EOWNERDEAD,
               "C11 knows no owners that die");
