/* sem_*: a post is logged before it is made, a wait once it has got through. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>

#include "../log.h"
#include "../real.h"

DH_REAL(int, sem_wait, (sem_t * semaphore), (semaphore))
DH_REAL(int, sem_trywait, (sem_t * semaphore), (semaphore))
DH_REAL(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))
DH_REAL(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until),
        (semaphore, clock, until))
DH_REAL(int, sem_post, (sem_t * semaphore), (semaphore))
DH_REAL(int, sem_init, (sem_t * semaphore, int shared, unsigned value), (semaphore, shared, value))
DH_REAL(int, sem_destroy, (sem_t * semaphore), (semaphore))

static inline int waited(int result, sem_t *semaphore, const void *caller) {
  if (dh_on && result == 0)
    dh_sync(DH_OP_WAIT_DONE, semaphore, 0, caller);
  return result;
}

DH_HOOK int sem_wait(sem_t *semaphore) {
  return waited(real_sem_wait(semaphore), semaphore, DH_CALLER);
}

DH_HOOK int sem_trywait(sem_t *semaphore) {
  return waited(real_sem_trywait(semaphore), semaphore, DH_CALLER);
}

DH_HOOK int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  return waited(real_sem_timedwait(semaphore, until), semaphore, DH_CALLER);
}

DH_HOOK int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
  return waited(real_sem_clockwait(semaphore, clock, until), semaphore, DH_CALLER);
}

DH_HOOK int sem_post(sem_t *semaphore) {
  if (dh_on)
    dh_sync(DH_OP_POST, semaphore, 0, DH_CALLER);
  return real_sem_post(semaphore);
}

DH_HOOK int sem_init(sem_t *semaphore, int shared, unsigned value) {
  int result = real_sem_init(semaphore, shared, value);
  if (dh_on && result == 0)
    dh_sync(DH_OP_INIT, semaphore, DH_LOCK_SEMAPHORE, DH_CALLER);
  return result;
}

DH_HOOK int sem_destroy(sem_t *semaphore) {
  if (dh_on)
    dh_sync(DH_OP_DESTROY, semaphore, DH_LOCK_SEMAPHORE, DH_CALLER);
  return real_sem_destroy(semaphore);
}
