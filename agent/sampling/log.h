/*
 * The log of a sampled thread. A thread that is not sampled has none: it is opened when there is first something
 * to be logged. Everything here is for a thread that is `busy`, or in the handler.
 */
#ifndef DH_SAMPLING_LOG_H
#define DH_SAMPLING_LOG_H

#include "../process.h"
#include "thread.h"

/* Behind log_end: what is said when no more can be. */
#define DH_LOG_LAST_WORDS (DH_SAMPLED_SWITCH_WORDS + DH_SAMPLED_CLOCK_WORDS)

/* Whether nothing is logged, and nothing has changed: what most calls find while sampling is off. */
DH_HOT int dh_log_stays_off(const struct dh_sampled_thread *thread) {
  return !thread->is_logging && thread->beginning[0] == 0 && thread->state == DH_THREAD_LIVE &&
         dh_fork_mark.owner != 0 && !__atomic_load_n(&dh_control->on, __ATOMIC_RELAXED);
}
/* Whether the thread is logged now. Takes notice of sampling being switched, and of forks. */
int dh_log_is_on(struct dh_sampled_thread *);
/* Room for so many words, or NULL: write the first one last. The blocks that are kept back are logged first. */
uint64_t *dh_log_room(struct dh_sampled_thread *, uint32_t words);
void dh_log_blocks(struct dh_sampled_thread *);
void dh_log_clock(struct dh_sampled_thread *);
/* What the thread has had of processors so far. */
uint64_t dh_processor_ns(void);
/* Its last words; the file is complete then. */
void dh_log_close(struct dh_sampled_thread *);
/* In the child of a fork: the log is the parent's. */
void dh_log_forget(struct dh_sampled_thread *);
/* Adds what was counted since the last time to the control's sums. */
void dh_log_counts(struct dh_sampled_thread *);

/* Before the thread begins, so that no sample can come first: logged when there is something else to log. For BEGIN
   with extra 1, its stack is new as well. */
void dh_log_beginning(struct dh_sampled_thread *, enum dh_op op, const void *object, uint64_t extra);

#endif
