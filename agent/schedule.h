/*
 * The gate: threads synchronise in a given order (deadheat.h lays out the schedule).
 *
 *   uint32_t turn = dh_turn(DH_OP_ACQUIRE, mutex, 0, DH_CALLER);   waits for the turn of the thread's next step
 *   int result = real_pthread_mutex_lock(mutex);
 *   if (result == 0)
 *     dh_turn_done(turn, DH_OP_ACQUIRE, mutex, DH_CALLER);         the next step has its turn
 *
 * Threads are delayed, and nothing else: whatever they do then, they could have done without us. A thread
 * that has no steps left waits at its next operation. One that does something else than its next step has
 * diverged: that is noted, and all gates are open from then on. So are they if deadheat says so, if it is
 * gone, or after the deadline; a thread that waits looks for that a few times a second.
 *
 * Optional steps are left out, in their turn, by a thread that does something else. What is only tried, and
 * fails, is no step. A try that is not the thread's next step passes, and is a
 * divergence if it succeeds. Signal handlers run while a thread waits, and threads can be cancelled where
 * they could be without us. A process that is forked follows no schedule.
 */
#ifndef DH_SCHEDULE_H
#define DH_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "deadheat.h"
#include "thread.h"

/* NULL unless this process follows a schedule, or has until its gates were opened. */
extern struct dh_schedule *dh_schedule;

/* With DH_LOCK_TRY and DH_LOCK_TIMED, how something is waited for: it is a cancellation point; signal handlers
   end it (EINTR), unless they are to restart it. */
#define DH_TURN_CANCELS 0x10000u
#define DH_TURN_INTERRUPTED 0x80000000u /* also what dh_turn returns then: no schedule is as long */

/* 0 if there is no schedule for this process, in the channel's folder. */
int dh_schedule_open(void);
/* In the child of a fork. */
void dh_schedule_forked(void);
void dh_schedule_thread_begins(const struct dh_thread *);
void dh_schedule_thread_ends(const struct dh_thread *);

uint32_t dh_turn_wait(enum dh_op op, const void *object, const void *mutex, unsigned how,
                      const void *caller);
void dh_turn_end(uint32_t turn, enum dh_op op, const void *object, const void *caller);
/* The step whose turn it is; not for a turn of 0. */
const struct dh_step *dh_step_of(uint32_t turn);

/* What `turn` is handed to: 0 if the thread is not held back. `object` of a JOIN is the thread's number. */
static inline uint32_t dh_turn(enum dh_op op, const void *object, unsigned how,
                               const void *caller) {
  return __builtin_expect(dh_schedule == NULL, 1) ? 0 : dh_turn_wait(op, object, NULL, how, caller);
}

/* The operation has succeeded. */
static inline void dh_turn_done(uint32_t turn, enum dh_op op, const void *object,
                                const void *caller) {
  if (__builtin_expect(turn != 0, 0))
    dh_turn_end(turn, op, object, caller);
}

/* The number of a thread to be, in the turn of its FORK or without one; 0 if there have been too many. */
uint32_t dh_scheduled_thread_number(uint32_t turn);

/* Conditions: how often one was signalled (or another with the same counter), for waits that the gate makes
   itself (hooks/scheduled-wait.c). The counter is a futex. */
uint32_t *dh_signals_of(const void *condition);
void dh_count_signal(const void *condition);
static inline void dh_signalled(const void *condition) {
  if (__builtin_expect(dh_schedule != NULL, 0))
    dh_count_signal(condition);
}

/* Sleeps until *word is no longer `seen`, or somebody wakes it, or a moment has passed: 1 if that is why. */
int dh_nap(const uint32_t *word, uint32_t seen, uint32_t bits);

#endif
