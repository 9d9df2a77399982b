/* Waiting for stops to a deadline: see stop-timer.c. */
#ifndef DH_STOP_TIMER_H
#define DH_STOP_TIMER_H

#include <signal.h>
#include <stdint.h>
#include <time.h>

struct dh_stop_timer {
  timer_t timer;
  struct sigaction children; /* as it was */
};

uint64_t dh_now(void);
/* 0 if there is no timer to be had. */
int dh_begin_waiting(struct dh_stop_timer *waiting);
void dh_end_waiting(struct dh_stop_timer *waiting);

enum dh_waited { DH_WAITED_STOP, DH_WAITED_TIME, DH_WAITED_SIGNAL, DH_WAITED_NOBODY };
/* Until a tracee of this thread stops, or the time has come, or a signal came to us. */
enum dh_waited dh_wait(const struct dh_stop_timer *waiting, uint64_t until, int *task, int *status);

#endif
