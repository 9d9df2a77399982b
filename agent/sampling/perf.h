/*
 * A perf event of the calling thread, for machines whose hardware can sample instructions, and for periods that
 * are shorter than a timer's. It sends its signal with each sample that it writes into a small ring; the ring
 * has the registers that the hardware took down, at an earlier place than that of the signal.
 *
 * The event has no descriptor: the ring alone keeps it alive. So its period cannot be changed, and the event is
 * made anew now and then, with another random one.
 */
#ifndef DH_SAMPLING_PERF_H
#define DH_SAMPLING_PERF_H

#include "thread.h"

/* 0 if there is no such event here: said once. */
int dh_perf_again(struct dh_sampled_thread *, uint64_t period);
void dh_perf_end(struct dh_sampled_thread *);
/* The latest record of the hardware: rip and 16 registers as in a sample; 0 if there is none. */
int dh_perf_record(struct dh_sampled_thread *, uint64_t registers[17]);

#endif
