/*
 * A wait for a condition while a schedule is kept: made by the gate itself, since only so the thread whose
 * turn it is wakes, and not another.
 *
 *   unlock the mutex · the next step has its turn · wait for the turn of WAIT_END · lock the mutex
 *
 * The schedule has the signal in between, so the program could have seen the same. A step that nobody
 * signals (DH_STEP_LAPSED) goes on waiting in its turn: for its time limit, a cancellation, or a signal after
 * all. So does a thread that is waiting when gates open. Signals are counted meanwhile: one may wake more
 * threads than it had to, which conditions are allowed to.
 */
#ifndef DH_HOOKS_SCHEDULED_WAIT_H
#define DH_HOOKS_SCHEDULED_WAIT_H

#include <pthread.h>
#include <time.h>

#include "../schedule.h"

#define DH_OWN_CLOCK (-1) /* that of the condition */

/* 0 if it is not for the gate: the real wait is to be made. Otherwise *result is what that would return. */
int dh_scheduled_wait_made(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until, const void *caller, int *result);

static inline int dh_scheduled_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                    clockid_t clock, const struct timespec *until,
                                    const void *caller, int *result) {
  return __builtin_expect(dh_schedule != NULL, 0) &&
         dh_scheduled_wait_made(condition, mutex, clock, until, caller, result);
}

#endif
