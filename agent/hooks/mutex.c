/* pthread_mutex_*: a lock has its number once it is held, and its release before it is let go. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

#include "../log.h"
#include "../real.h"
#include "../schedule.h"

DH_REAL(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
DH_REAL(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
DH_REAL(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until),
        (mutex, until))
DH_REAL(int, pthread_mutex_clocklock,
        (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
        (mutex, clock, until))
DH_REAL(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
DH_REAL(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes),
        (mutex, attributes))
DH_REAL(int, pthread_mutex_destroy, (pthread_mutex_t * mutex), (mutex))

/* A robust mutex is held as well when its last owner died (EOWNERDEAD). */
static inline int acquired(int result, uint32_t turn, pthread_mutex_t *mutex, uint64_t how,
                           const void *caller) {
  if (!dh_on || (result != 0 && result != EOWNERDEAD))
    return result;
  dh_sync(DH_OP_ACQUIRE, mutex, DH_LOCK_MUTEX | how | (result == 0 ? 0 : DH_LOCK_DEAD), caller);
  dh_turn_done(turn, DH_OP_ACQUIRE, mutex, caller);
  return result;
}

/*
 * Whether the unlock will be refused, which must be known before it happens. Only normal and
 * adaptive mutexes (kinds 0 and 3, whatever the bits for elision say) are unlocked for anybody.
 */
static inline int will_refuse(const pthread_mutex_t *mutex) {
  int kind = mutex->__data.__kind & 0x7f;
  return kind != PTHREAD_MUTEX_TIMED_NP && kind != PTHREAD_MUTEX_ADAPTIVE_NP &&
         (uint32_t)mutex->__data.__owner != dh_self.tid;
}

/* The turn of a lock, unless it will be refused at once: an error-checking mutex that the thread holds. */
static inline uint32_t turn_of(pthread_mutex_t *mutex, unsigned how, const void *caller) {
  int is_checked = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
  if (is_checked && (uint32_t)mutex->__data.__owner == dh_self.tid)
    return 0;
  return dh_turn(DH_OP_ACQUIRE, mutex, how, caller);
}

DH_HOOK int pthread_mutex_lock(pthread_mutex_t *mutex) {
  dh_before_lock();
  uint32_t turn = turn_of(mutex, 0, DH_CALLER);
  return acquired(real_pthread_mutex_lock(mutex), turn, mutex, 0, DH_CALLER);
}

DH_HOOK int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  uint32_t turn = turn_of(mutex, DH_LOCK_TRY, DH_CALLER);
  return acquired(real_pthread_mutex_trylock(mutex), turn, mutex, DH_LOCK_TRY, DH_CALLER);
}

DH_HOOK int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
  dh_before_lock();
  uint32_t turn = turn_of(mutex, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_pthread_mutex_timedlock(mutex, until), turn, mutex, DH_LOCK_TIMED,
                  DH_CALLER);
}

DH_HOOK int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                    const struct timespec *until) {
  dh_before_lock();
  uint32_t turn = turn_of(mutex, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_pthread_mutex_clocklock(mutex, clock, until), turn, mutex, DH_LOCK_TIMED,
                  DH_CALLER);
}

DH_HOOK int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  uint64_t seq;
  struct dh_thread *thread = NULL;
  uint32_t turn = 0;
  if (dh_on && dh_thread_here() != NULL && !will_refuse(mutex)) {
    turn = dh_turn(DH_OP_RELEASE, mutex, 0, DH_CALLER);
    thread = dh_release_begin(DH_CALLER, &seq);
  }
  int result = real_pthread_mutex_unlock(mutex);
  if (thread != NULL)
    dh_release_end(thread, seq, DH_OP_RELEASE, mutex, DH_LOCK_MUTEX, DH_CALLER);
  dh_turn_done(turn, DH_OP_RELEASE, mutex, DH_CALLER);
  return result;
}

DH_HOOK int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  int result = real_pthread_mutex_init(mutex, attributes);
  if (dh_on && result == 0)
    dh_sync(DH_OP_INIT, mutex, DH_LOCK_MUTEX, DH_CALLER);
  return result;
}

DH_HOOK int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  if (dh_on)
    dh_sync(DH_OP_DESTROY, mutex, DH_LOCK_MUTEX, DH_CALLER);
  return real_pthread_mutex_destroy(mutex);
}
