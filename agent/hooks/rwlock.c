/* pthread_rwlock_*: readers share, a writer has it alone. */
#define _GNU_SOURCE
#include <pthread.h>

#include "../log.h"
#include "../real.h"
#include "../schedule.h"

typedef pthread_rwlock_t rwlock;
typedef const struct timespec *deadline;

DH_REAL(int, pthread_rwlock_rdlock, (rwlock * lock), (lock))
DH_REAL(int, pthread_rwlock_tryrdlock, (rwlock * lock), (lock))
DH_REAL(int, pthread_rwlock_timedrdlock, (rwlock * lock, deadline until), (lock, until))
DH_REAL(int, pthread_rwlock_clockrdlock, (rwlock * lock, clockid_t clock, deadline until),
        (lock, clock, until))
DH_REAL(int, pthread_rwlock_wrlock, (rwlock * lock), (lock))
DH_REAL(int, pthread_rwlock_trywrlock, (rwlock * lock), (lock))
DH_REAL(int, pthread_rwlock_timedwrlock, (rwlock * lock, deadline until), (lock, until))
DH_REAL(int, pthread_rwlock_clockwrlock, (rwlock * lock, clockid_t clock, deadline until),
        (lock, clock, until))
DH_REAL(int, pthread_rwlock_unlock, (rwlock * lock), (lock))
DH_REAL(int, pthread_rwlock_init, (rwlock * lock, const pthread_rwlockattr_t *attributes),
        (lock, attributes))
DH_REAL(int, pthread_rwlock_destroy, (rwlock * lock), (lock))

static inline int acquired(int result, uint32_t turn, enum dh_op op, rwlock *lock, uint64_t how,
                           const void *caller) {
  if (!dh_on || result != 0)
    return result;
  dh_sync(op, lock, DH_LOCK_RWLOCK | how, caller);
  dh_turn_done(turn, op, lock, caller);
  return result;
}

/* The turn of a lock, unless it will be refused at once: the thread holds it for writing. */
static inline uint32_t turn_of(enum dh_op op, rwlock *lock, unsigned how, const void *caller) {
  uint32_t writer = (uint32_t)lock->__data.__cur_writer;
  return writer != 0 && writer == dh_self.tid ? 0 : dh_turn(op, lock, how, caller);
}

DH_HOOK int pthread_rwlock_rdlock(rwlock *lock) {
  dh_before_lock();
  uint32_t turn = turn_of(DH_OP_ACQUIRE_SHARED, lock, 0, DH_CALLER);
  return acquired(real_pthread_rwlock_rdlock(lock), turn, DH_OP_ACQUIRE_SHARED, lock, 0, DH_CALLER);
}

DH_HOOK int pthread_rwlock_tryrdlock(rwlock *lock) {
  uint32_t turn = turn_of(DH_OP_ACQUIRE_SHARED, lock, DH_LOCK_TRY, DH_CALLER);
  return acquired(real_pthread_rwlock_tryrdlock(lock), turn, DH_OP_ACQUIRE_SHARED, lock,
                  DH_LOCK_TRY, DH_CALLER);
}

DH_HOOK int pthread_rwlock_timedrdlock(rwlock *lock, deadline until) {
  dh_before_lock();
  uint32_t turn = turn_of(DH_OP_ACQUIRE_SHARED, lock, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_pthread_rwlock_timedrdlock(lock, until), turn, DH_OP_ACQUIRE_SHARED, lock,
                  DH_LOCK_TIMED, DH_CALLER);
}

DH_HOOK int pthread_rwlock_clockrdlock(rwlock *lock, clockid_t clock, deadline until) {
  dh_before_lock();
  uint32_t turn = turn_of(DH_OP_ACQUIRE_SHARED, lock, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_pthread_rwlock_clockrdlock(lock, clock, until), turn, DH_OP_ACQUIRE_SHARED,
                  lock, DH_LOCK_TIMED, DH_CALLER);
}

DH_HOOK int pthread_rwlock_wrlock(rwlock *lock) {
  dh_before_lock();
  uint32_t turn = turn_of(DH_OP_ACQUIRE, lock, 0, DH_CALLER);
  return acquired(real_pthread_rwlock_wrlock(lock), turn, DH_OP_ACQUIRE, lock, 0, DH_CALLER);
}

DH_HOOK int pthread_rwlock_trywrlock(rwlock *lock) {
  uint32_t turn = turn_of(DH_OP_ACQUIRE, lock, DH_LOCK_TRY, DH_CALLER);
  return acquired(real_pthread_rwlock_trywrlock(lock), turn, DH_OP_ACQUIRE, lock, DH_LOCK_TRY,
                  DH_CALLER);
}

DH_HOOK int pthread_rwlock_timedwrlock(rwlock *lock, deadline until) {
  dh_before_lock();
  uint32_t turn = turn_of(DH_OP_ACQUIRE, lock, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_pthread_rwlock_timedwrlock(lock, until), turn, DH_OP_ACQUIRE, lock,
                  DH_LOCK_TIMED, DH_CALLER);
}

DH_HOOK int pthread_rwlock_clockwrlock(rwlock *lock, clockid_t clock, deadline until) {
  dh_before_lock();
  uint32_t turn = turn_of(DH_OP_ACQUIRE, lock, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_pthread_rwlock_clockwrlock(lock, clock, until), turn, DH_OP_ACQUIRE, lock,
                  DH_LOCK_TIMED, DH_CALLER);
}

/* While somebody holds it for writing, only that one may unlock it. */
DH_HOOK int pthread_rwlock_unlock(rwlock *lock) {
  uint64_t seq;
  enum dh_op op = lock->__data.__cur_writer != 0 ? DH_OP_RELEASE : DH_OP_RELEASE_SHARED;
  uint32_t turn = dh_turn(op, lock, 0, DH_CALLER);
  struct dh_thread *thread = dh_on ? dh_release_begin(DH_CALLER, &seq) : NULL;
  int result = real_pthread_rwlock_unlock(lock);
  if (thread != NULL)
    dh_release_end(thread, seq, op, lock, DH_LOCK_RWLOCK, DH_CALLER);
  dh_turn_done(turn, op, lock, DH_CALLER);
  return result;
}

DH_HOOK int pthread_rwlock_init(rwlock *lock, const pthread_rwlockattr_t *attributes) {
  return acquired(real_pthread_rwlock_init(lock, attributes), 0, DH_OP_INIT, lock, 0, DH_CALLER);
}

DH_HOOK int pthread_rwlock_destroy(rwlock *lock) {
  if (dh_on)
    dh_sync(DH_OP_DESTROY, lock, DH_LOCK_RWLOCK, DH_CALLER);
  return real_pthread_rwlock_destroy(lock);
}
