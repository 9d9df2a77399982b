/* pthread_spin_* */
#define _GNU_SOURCE
#include <pthread.h>

#include "../log.h"
#include "../real.h"
#include "../schedule.h"

DH_REAL(int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
DH_REAL(int, pthread_spin_trylock, (pthread_spinlock_t * lock), (lock))
DH_REAL(int, pthread_spin_unlock, (pthread_spinlock_t * lock), (lock))
DH_REAL(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared), (lock, shared))
DH_REAL(int, pthread_spin_destroy, (pthread_spinlock_t * lock), (lock))

static inline int done(int result, uint32_t turn, enum dh_op op, pthread_spinlock_t *lock,
                       uint64_t how, const void *caller) {
  if (!dh_on || result != 0)
    return result;
  dh_sync(op, (const void *)lock, DH_LOCK_SPIN | how, caller);
  dh_turn_done(turn, op, (const void *)lock, caller);
  return result;
}

DH_HOOK int pthread_spin_lock(pthread_spinlock_t *lock) {
  dh_before_lock();
  uint32_t turn = dh_turn(DH_OP_ACQUIRE, (const void *)lock, 0, DH_CALLER);
  return done(real_pthread_spin_lock(lock), turn, DH_OP_ACQUIRE, lock, 0, DH_CALLER);
}

DH_HOOK int pthread_spin_trylock(pthread_spinlock_t *lock) {
  uint32_t turn = dh_turn(DH_OP_ACQUIRE, (const void *)lock, DH_LOCK_TRY, DH_CALLER);
  return done(real_pthread_spin_trylock(lock), turn, DH_OP_ACQUIRE, lock, DH_LOCK_TRY, DH_CALLER);
}

DH_HOOK int pthread_spin_unlock(pthread_spinlock_t *lock) {
  uint64_t seq;
  uint32_t turn = dh_turn(DH_OP_RELEASE, (const void *)lock, 0, DH_CALLER);
  struct dh_thread *thread = dh_on ? dh_release_begin(DH_CALLER, &seq) : NULL;
  int result = real_pthread_spin_unlock(lock);
  if (thread != NULL)
    dh_release_end(thread, seq, DH_OP_RELEASE, (const void *)lock, DH_LOCK_SPIN, DH_CALLER);
  dh_turn_done(turn, DH_OP_RELEASE, (const void *)lock, DH_CALLER);
  return result;
}

DH_HOOK int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  return done(real_pthread_spin_init(lock, shared), 0, DH_OP_INIT, lock, 0, DH_CALLER);
}

DH_HOOK int pthread_spin_destroy(pthread_spinlock_t *lock) {
  done(0, 0, DH_OP_DESTROY, lock, 0, DH_CALLER);
  return real_pthread_spin_destroy(lock);
}
