/*
 * What sends a thread its signal: a timer of its own processor time, or a perf event. The timer can be armed by
 * any thread for any other, and is, when sampling is turned on for threads that do nothing at the time.
 */
#ifndef DH_SAMPLING_EVENTS_H
#define DH_SAMPLING_EVENTS_H

#include "thread.h"

/* The calling thread has its tid: it may be armed from here on. */
void dh_event_begin(struct dh_sampled_thread *);
/* No more signals, for good. */
void dh_event_end(struct dh_sampled_thread *);
/* The next sample: after another random part of the period. Only while sampling is on. */
void dh_event_again(struct dh_sampled_thread *);
/* All threads that are there and are not armed yet. */
void dh_events_arm_all(void);
/* In the child of a fork: there are none. */
void dh_events_forget(void);
/* Whether this signal is one of ours that says that it is time for a sample. */
int dh_event_is_due(const void *siginfo);

#endif
