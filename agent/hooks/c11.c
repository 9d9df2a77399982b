/*
 * C11's threads.h. In glibc these call the pthread functions inside libc, where no hook sees them;
 * call_once is in once.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <threads.h>

#include "../log.h"
#include "../real.h"
#include "../thread-numbers.h"
#include "cond.h"
#include "scheduled-wait.h"
#include "thread.h"

DH_REAL(int, thrd_create, (thrd_t * thread, thrd_start_t start, void *argument),
        (thread, start, argument))
DH_REAL(int, thrd_join, (thrd_t thread, int *result), (thread, result))
DH_REAL(int, thrd_detach, (thrd_t thread), (thread))
DH_REAL(int, mtx_init, (mtx_t * mutex, int type), (mutex, type))
DH_REAL(int, mtx_lock, (mtx_t * mutex), (mutex))
DH_REAL(int, mtx_trylock, (mtx_t * mutex), (mutex))
DH_REAL(int, mtx_timedlock, (mtx_t * mutex, const struct timespec *until), (mutex, until))
DH_REAL(int, mtx_unlock, (mtx_t * mutex), (mutex))
DH_REAL(void, mtx_destroy, (mtx_t * mutex), (mutex))
DH_REAL(int, cnd_init, (cnd_t * condition), (condition))
DH_REAL(int, cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex))
DH_REAL(int, cnd_timedwait, (cnd_t * condition, mtx_t *mutex, const struct timespec *until),
        (condition, mutex, until))
DH_REAL(int, cnd_signal, (cnd_t * condition), (condition))
DH_REAL(int, cnd_broadcast, (cnd_t * condition), (condition))
DH_REAL(void, cnd_destroy, (cnd_t * condition), (condition))

static inline int done(int result, enum dh_op op, const void *object, uint64_t extra,
                       const void *caller) {
  if (dh_on && result == thrd_success)
    dh_sync(op, object, extra, caller);
  return result;
}

static inline int acquired(int result, uint32_t turn, mtx_t *mutex, uint64_t how,
                           const void *caller) {
  done(result, DH_OP_ACQUIRE, mutex, DH_LOCK_MUTEX | how, caller);
  if (result == thrd_success)
    dh_turn_done(turn, DH_OP_ACQUIRE, mutex, caller);
  return result;
}

/* glibc's are the same as those of pthreads. */
static inline int is_scheduled_wait(cnd_t *condition, mtx_t *mutex, const struct timespec *until,
                                    const void *caller, int *result) {
  if (!dh_scheduled_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, DH_OWN_CLOCK,
                         until, caller, result))
    return 0;
  *result = *result == 0 ? thrd_success : *result == ETIMEDOUT ? thrd_timedout : thrd_error;
  return 1;
}

static int begin(void *number) {
  struct dh_handover handover = dh_begin_announced((uint32_t)(uintptr_t)number);
  return ((thrd_start_t)handover.start)(handover.argument);
}

DH_HOOK int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  uint32_t number = !dh_on ? 0
                           : dh_announce_thread((void *)start, argument, dh_default_stack_size(),
                                                DH_CALLER);
  if (number == 0)
    return real_thrd_create(thread, start, argument);
  int result = real_thrd_create(thread, begin, (void *)(uintptr_t)number);
  if (result == thrd_success)
    dh_remember_created(thread, number);
  return result;
}

DH_HOOK int thrd_join(thrd_t thread, int *result) {
  uint32_t number = dh_number_of_thread(thread);
  const void *numbered = (void *)(uintptr_t)number;
  uint32_t turn = dh_turn(DH_OP_JOIN, numbered, DH_TURN_CANCELS, DH_CALLER);
  int joined = real_thrd_join(thread, result);
  done(joined, DH_OP_JOIN, (void *)thread, number, DH_CALLER);
  if (joined == thrd_success)
    dh_turn_done(turn, DH_OP_JOIN, numbered, DH_CALLER);
  return joined;
}

DH_HOOK int thrd_detach(thrd_t thread) {
  uint32_t number = dh_number_of_thread(thread);
  return done(real_thrd_detach(thread), DH_OP_DETACH, (void *)thread, number, DH_CALLER);
}

DH_HOOK int mtx_init(mtx_t *mutex, int type) {
  return done(real_mtx_init(mutex, type), DH_OP_INIT, mutex, DH_LOCK_MUTEX, DH_CALLER);
}

DH_HOOK int mtx_lock(mtx_t *mutex) {
  uint32_t turn = dh_turn(DH_OP_ACQUIRE, mutex, 0, DH_CALLER);
  return acquired(real_mtx_lock(mutex), turn, mutex, 0, DH_CALLER);
}

DH_HOOK int mtx_trylock(mtx_t *mutex) {
  uint32_t turn = dh_turn(DH_OP_ACQUIRE, mutex, DH_LOCK_TRY, DH_CALLER);
  return acquired(real_mtx_trylock(mutex), turn, mutex, DH_LOCK_TRY, DH_CALLER);
}

DH_HOOK int mtx_timedlock(mtx_t *mutex, const struct timespec *until) {
  uint32_t turn = dh_turn(DH_OP_ACQUIRE, mutex, DH_LOCK_TIMED, DH_CALLER);
  return acquired(real_mtx_timedlock(mutex, until), turn, mutex, DH_LOCK_TIMED, DH_CALLER);
}

DH_HOOK int mtx_unlock(mtx_t *mutex) {
  uint32_t turn = dh_turn(DH_OP_RELEASE, mutex, 0, DH_CALLER);
  done(thrd_success, DH_OP_RELEASE, mutex, DH_LOCK_MUTEX, DH_CALLER);
  int result = real_mtx_unlock(mutex);
  dh_turn_done(turn, DH_OP_RELEASE, mutex, DH_CALLER);
  return result;
}

DH_HOOK void mtx_destroy(mtx_t *mutex) {
  done(thrd_success, DH_OP_DESTROY, mutex, DH_LOCK_MUTEX, DH_CALLER);
  real_mtx_destroy(mutex);
}

DH_HOOK int cnd_init(cnd_t *condition) {
  return done(real_cnd_init(condition), DH_OP_INIT, condition, DH_LOCK_CONDITION, DH_CALLER);
}

DH_HOOK int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  if (!dh_on)
    return real_cnd_wait(condition, mutex);
  int result;
  if (!is_scheduled_wait(condition, mutex, NULL, DH_CALLER, &result))
    DH_WAIT(result, condition, mutex, DH_CALLER, real_cnd_wait(condition, mutex));
  return result;
}

DH_HOOK int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
  if (!dh_on)
    return real_cnd_timedwait(condition, mutex, until);
  int result;
  if (!is_scheduled_wait(condition, mutex, until, DH_CALLER, &result))
    DH_WAIT(result, condition, mutex, DH_CALLER, real_cnd_timedwait(condition, mutex, until));
  return result;
}

DH_HOOK int cnd_signal(cnd_t *condition) {
  uint32_t turn = dh_turn(DH_OP_SIGNAL, condition, 0, DH_CALLER);
  done(thrd_success, DH_OP_SIGNAL, condition, 0, DH_CALLER);
  dh_signalled(condition);
  int result = real_cnd_signal(condition);
  dh_turn_done(turn, DH_OP_SIGNAL, condition, DH_CALLER);
  return result;
}

DH_HOOK int cnd_broadcast(cnd_t *condition) {
  uint32_t turn = dh_turn(DH_OP_BROADCAST, condition, 0, DH_CALLER);
  done(thrd_success, DH_OP_BROADCAST, condition, 0, DH_CALLER);
  dh_signalled(condition);
  int result = real_cnd_broadcast(condition);
  dh_turn_done(turn, DH_OP_BROADCAST, condition, DH_CALLER);
  return result;
}

DH_HOOK void cnd_destroy(cnd_t *condition) {
  done(thrd_success, DH_OP_DESTROY, condition, DH_LOCK_CONDITION, DH_CALLER);
  real_cnd_destroy(condition);
}
