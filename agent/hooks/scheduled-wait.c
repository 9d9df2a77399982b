#define _GNU_SOURCE
#include "scheduled-wait.h"

#include <errno.h>

#include "../real.h"
#include "../syscalls.h"

DH_REAL(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
DH_REAL(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))

struct wait {
  pthread_cond_t *condition;
  pthread_mutex_t *mutex;
  clockid_t clock;
  const struct timespec *until;
  const void *caller;
  uint32_t signals; /* when it began */
  uint32_t turn;    /* of its end */
  int result;
};

/* glibc keeps a condition's attributes in two bits. */
#define IS_SHARED 1
#define IS_MONOTONIC 2

static clockid_t clock_of(const pthread_cond_t *condition) {
  return condition->__data.__wrefs & IS_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

static int is_over(clockid_t clock, const struct timespec *until) {
  struct timespec time = {0};
  DH_SYSCALL(SYS_clock_gettime, clock, &time, 0, 0);
  return time.tv_sec != until->tv_sec ? time.tv_sec > until->tv_sec
                                      : time.tv_nsec >= until->tv_nsec;
}

/* For a signal, the time limit, or a cancellation; others that signal a condition of theirs and ours cannot
   be counted. */
static int await_signal(const struct wait *wait) {
  const uint32_t *counter = dh_signals_of(wait->condition);
  int is_shared = wait->condition->__data.__wrefs & IS_SHARED;
  for (;;) {
    if (__atomic_load_n(counter, __ATOMIC_SEQ_CST) != wait->signals)
      return 0;
    if (wait->until != NULL && is_over(wait->clock, wait->until))
      return ETIMEDOUT;
    if (dh_nap(counter, wait->signals, 0xffffffff) && is_shared)
      return 0;
    pthread_testcancel();
  }
}

/* Also when the thread is cancelled: it has the mutex again before its own cleanup handlers run. */
static void end_wait(void *argument) {
  struct wait *wait = argument;
  if (wait->turn == 0)
    wait->turn = dh_turn_wait(DH_OP_WAIT_END, wait->condition, wait->mutex, 0, wait->caller);
  int error = real_pthread_mutex_lock(wait->mutex);
  if (error != 0)
    wait->result = error;
  dh_turn_done(wait->turn, DH_OP_WAIT_END, wait->condition, wait->caller);
}

static void await(struct wait *wait) {
  pthread_cleanup_push(end_wait, wait);
  wait->turn = dh_turn_wait(DH_OP_WAIT_END, wait->condition, wait->mutex, DH_TURN_CANCELS,
                            wait->caller);
  if (wait->turn == 0 || dh_step_of(wait->turn)->flags & DH_STEP_LAPSED)
    wait->result = await_signal(wait);
  pthread_cleanup_pop(1);
}

static int is_valid(const struct timespec *until) {
  return until == NULL || (until->tv_nsec >= 0 && until->tv_nsec < 1000000000);
}

int dh_scheduled_wait_made(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until, const void *caller, int *result) {
  if (!is_valid(until))
    return 0;
  uint32_t turn = dh_turn_wait(DH_OP_WAIT_BEGIN, condition, mutex, 0, caller);
  if (turn == 0)
    return 0;
  struct wait wait = {
      .condition = condition,
      .mutex = mutex,
      .clock = clock == DH_OWN_CLOCK ? clock_of(condition) : clock,
      .until = until,
      .caller = caller,
      .signals = __atomic_load_n(dh_signals_of(condition), __ATOMIC_SEQ_CST),
  };
  *result = real_pthread_mutex_unlock(mutex);
  if (*result != 0)
    return 1;
  dh_turn_done(turn, DH_OP_WAIT_BEGIN, condition, caller);
  await(&wait);
  *result = wait.result;
  return 1;
}
