/*
 * waitpid(2) with a deadline: a timer sends this thread a signal then, which ends the call. If it comes right before
 * the call, it is sent again soon.
 *
 * Meanwhile no SIGCHLD is sent for stops, which node would hear of, and be woken for: waitpid needs none.
 */
#define _GNU_SOURCE
#include "stop-timer.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nobody else in this process uses it. */
#define OUR_SIGNAL (SIGRTMIN + 9)
#define SECOND 1000000000ull
#define AGAIN_AFTER_NS 200000

uint64_t dh_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* That it comes is all. */
static void heard(int signal) { (void)signal; }

int dh_begin_waiting(struct dh_stop_timer *waiting) {
  struct sigaction ours = {.sa_handler = heard};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = OUR_SIGNAL};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  sigaction(OUR_SIGNAL, &ours, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &waiting->timer) != 0)
    return 0;
  sigaction(SIGCHLD, NULL, &waiting->children);
  struct sigaction silent = waiting->children;
  silent.sa_flags |= SA_NOCLDSTOP;
  sigaction(SIGCHLD, &silent, NULL);
  return 1;
}

void dh_end_waiting(struct dh_stop_timer *waiting) {
  sigaction(SIGCHLD, &waiting->children, NULL);
  timer_delete(waiting->timer);
}

static struct timespec time_of(uint64_t nanoseconds) {
  return (struct timespec){(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
}

static void ring_at(const struct dh_stop_timer *waiting, uint64_t time) {
  const struct itimerspec at = {.it_value = time_of(time), .it_interval = time_of(AGAIN_AFTER_NS)};
  timer_settime(waiting->timer, TIMER_ABSTIME, &at, NULL);
}

static void be_silent(const struct dh_stop_timer *waiting) {
  const struct itimerspec never = {{0, 0}, {0, 0}};
  timer_settime(waiting->timer, 0, &never, NULL);
}

enum dh_waited dh_wait(const struct dh_stop_timer *waiting, uint64_t until, int *task, int *status) {
  ring_at(waiting, until);
  *task = waitpid(-1, status, __WALL | __WNOTHREAD);
  const int error = errno;
  be_silent(waiting);
  if (*task > 0)
    return DH_WAITED_STOP;
  if (error != EINTR)
    return DH_WAITED_NOBODY;
  return dh_now() >= until ? DH_WAITED_TIME : DH_WAITED_SIGNAL;
}
