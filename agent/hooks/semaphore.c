/* sem_*: a post is logged before it is made, a wait once it has got through. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "../log.h"
#include "../real.h"
#include "../schedule.h"

DH_REAL(int, sem_wait, (sem_t * semaphore), (semaphore))
DH_REAL(int, sem_trywait, (sem_t * semaphore), (semaphore))
DH_REAL(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until), (semaphore, until))
DH_REAL(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec *until),
        (semaphore, clock, until))
DH_REAL(int, sem_post, (sem_t * semaphore), (semaphore))
DH_REAL(int, sem_init, (sem_t * semaphore, int shared, unsigned value), (semaphore, shared, value))
DH_REAL(int, sem_destroy, (sem_t * semaphore), (semaphore))

static inline int waited(int result, uint32_t turn, sem_t *semaphore, const void *caller) {
  if (!dh_on || result != 0)
    return result;
  dh_sync(DH_OP_WAIT_DONE, semaphore, 0, caller);
  dh_turn_done(turn, DH_OP_WAIT_DONE, semaphore, caller);
  return result;
}

#define WAITS (DH_TURN_CANCELS | DH_TURN_INTERRUPTED)

static int interrupted(void) {
  errno = EINTR;
  return -1;
}

DH_HOOK int sem_wait(sem_t *semaphore) {
  uint32_t turn = dh_turn(DH_OP_WAIT_DONE, semaphore, WAITS, DH_CALLER);
  if (turn == DH_TURN_INTERRUPTED)
    return interrupted();
  return waited(real_sem_wait(semaphore), turn, semaphore, DH_CALLER);
}

DH_HOOK int sem_trywait(sem_t *semaphore) {
  uint32_t turn = dh_turn(DH_OP_WAIT_DONE, semaphore, DH_LOCK_TRY, DH_CALLER);
  return waited(real_sem_trywait(semaphore), turn, semaphore, DH_CALLER);
}

DH_HOOK int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  uint32_t turn = dh_turn(DH_OP_WAIT_DONE, semaphore, WAITS | DH_LOCK_TIMED, DH_CALLER);
  if (turn == DH_TURN_INTERRUPTED)
    return interrupted();
  return waited(real_sem_timedwait(semaphore, until), turn, semaphore, DH_CALLER);
}

DH_HOOK int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
  uint32_t turn = dh_turn(DH_OP_WAIT_DONE, semaphore, WAITS | DH_LOCK_TIMED, DH_CALLER);
  if (turn == DH_TURN_INTERRUPTED)
    return interrupted();
  return waited(real_sem_clockwait(semaphore, clock, until), turn, semaphore, DH_CALLER);
}

DH_HOOK int sem_post(sem_t *semaphore) {
  if (!dh_on)
    return real_sem_post(semaphore);
  uint32_t turn = dh_turn(DH_OP_POST, semaphore, 0, DH_CALLER);
  dh_sync(DH_OP_POST, semaphore, 0, DH_CALLER);
  int result = real_sem_post(semaphore);
  dh_turn_done(turn, DH_OP_POST, semaphore, DH_CALLER);
  return result;
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
