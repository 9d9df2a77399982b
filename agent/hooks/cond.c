/*
 * pthread_cond_*. These have the version GLIBC_2.3.2 (agent/exports.map): the conditions of programs
 * that were built before that look different, and are left alone.
 */
#define _GNU_SOURCE
#include "cond.h"

#include "../real.h"
#include "scheduled-wait.h"

#define REAL(type, name, parameters, arguments)                                                    \
  DH_REAL_VERSION("GLIBC_2.3.2", type, name, parameters, arguments)

REAL(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex),
     (condition, mutex))
REAL(int, pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
     (condition, mutex, until))
DH_REAL(int, pthread_cond_clockwait,
        (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
         const struct timespec *until),
        (condition, mutex, clock, until))
REAL(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))
REAL(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
REAL(int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes),
     (condition, attributes))
REAL(int, pthread_cond_destroy, (pthread_cond_t * condition), (condition))

DH_HOOK int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  if (!dh_on)
    return real_pthread_cond_wait(condition, mutex);
  int result;
  if (!dh_scheduled_wait(condition, mutex, DH_OWN_CLOCK, NULL, DH_CALLER, &result))
    DH_WAIT(result, condition, mutex, DH_CALLER, real_pthread_cond_wait(condition, mutex));
  return result;
}

DH_HOOK int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                   const struct timespec *until) {
  if (!dh_on)
    return real_pthread_cond_timedwait(condition, mutex, until);
  int result;
  if (!dh_scheduled_wait(condition, mutex, DH_OWN_CLOCK, until, DH_CALLER, &result))
    DH_WAIT(result, condition, mutex, DH_CALLER,
            real_pthread_cond_timedwait(condition, mutex, until));
  return result;
}

DH_HOOK int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                   clockid_t clock, const struct timespec *until) {
  if (!dh_on)
    return real_pthread_cond_clockwait(condition, mutex, clock, until);
  int result;
  if (!dh_scheduled_wait(condition, mutex, clock, until, DH_CALLER, &result))
    DH_WAIT(result, condition, mutex, DH_CALLER,
            real_pthread_cond_clockwait(condition, mutex, clock, until));
  return result;
}

DH_HOOK int pthread_cond_signal(pthread_cond_t *condition) {
  if (!dh_on)
    return real_pthread_cond_signal(condition);
  uint32_t turn = dh_turn(DH_OP_SIGNAL, condition, 0, DH_CALLER);
  dh_sync(DH_OP_SIGNAL, condition, 0, DH_CALLER);
  dh_signalled(condition);
  int result = real_pthread_cond_signal(condition);
  dh_turn_done(turn, DH_OP_SIGNAL, condition, DH_CALLER);
  return result;
}

DH_HOOK int pthread_cond_broadcast(pthread_cond_t *condition) {
  if (!dh_on)
    return real_pthread_cond_broadcast(condition);
  uint32_t turn = dh_turn(DH_OP_BROADCAST, condition, 0, DH_CALLER);
  dh_sync(DH_OP_BROADCAST, condition, 0, DH_CALLER);
  dh_signalled(condition);
  int result = real_pthread_cond_broadcast(condition);
  dh_turn_done(turn, DH_OP_BROADCAST, condition, DH_CALLER);
  return result;
}

DH_HOOK int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  int result = real_pthread_cond_init(condition, attributes);
  if (dh_on && result == 0)
    dh_sync(DH_OP_INIT, condition, DH_LOCK_CONDITION, DH_CALLER);
  return result;
}

DH_HOOK int pthread_cond_destroy(pthread_cond_t *condition) {
  if (dh_on)
    dh_sync(DH_OP_DESTROY, condition, DH_LOCK_CONDITION, DH_CALLER);
  return real_pthread_cond_destroy(condition);
}
