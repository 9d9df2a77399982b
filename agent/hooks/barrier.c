/* pthread_barrier_*: everybody's arrival comes before everybody's leaving. */
#define _GNU_SOURCE
#include <pthread.h>

#include "../log.h"
#include "../real.h"
#include "../schedule.h"

DH_REAL(int, pthread_barrier_wait, (pthread_barrier_t * barrier), (barrier))
DH_REAL(int, pthread_barrier_init,
        (pthread_barrier_t * barrier, const pthread_barrierattr_t *attributes, unsigned count),
        (barrier, attributes, count))
DH_REAL(int, pthread_barrier_destroy, (pthread_barrier_t * barrier), (barrier))

/* The barrier may be gone when the wait is over: only its address is used then. */
DH_HOOK int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (!dh_on)
    return real_pthread_barrier_wait(barrier);
  uint32_t turn = dh_turn(DH_OP_ARRIVE, barrier, 0, DH_CALLER);
  dh_sync(DH_OP_ARRIVE, barrier, 0, DH_CALLER);
  dh_turn_done(turn, DH_OP_ARRIVE, barrier, DH_CALLER); /* the others' turns come while it waits */
  int result = real_pthread_barrier_wait(barrier);
  turn = dh_turn(DH_OP_LEAVE, barrier, 0, DH_CALLER);
  dh_sync(DH_OP_LEAVE, barrier, 0, DH_CALLER);
  dh_turn_done(turn, DH_OP_LEAVE, barrier, DH_CALLER);
  return result;
}

DH_HOOK int pthread_barrier_init(pthread_barrier_t *barrier,
                                 const pthread_barrierattr_t *attributes, unsigned count) {
  int result = real_pthread_barrier_init(barrier, attributes, count);
  if (dh_on && result == 0)
    dh_sync(DH_OP_INIT, barrier, DH_LOCK_BARRIER, DH_CALLER);
  return result;
}

DH_HOOK int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  if (dh_on)
    dh_sync(DH_OP_DESTROY, barrier, DH_LOCK_BARRIER, DH_CALLER);
  return real_pthread_barrier_destroy(barrier);
}
