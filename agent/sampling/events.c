#define _GNU_SOURCE
#include "events.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "../process.h"
#include "../syscalls.h"
#include "perf.h"

/*
 * By the number of the thread: whoever takes `state` from NONE to ARMING makes the timer. A thread that ends
 * meanwhile leaves the timer to its maker.
 */
enum event_state { NONE = 0, ARMING, ARMED, ENDED };
static struct event {
  uint32_t tid;
  int timer;
  uint32_t state;
} events[DH_THREADS_MAX + 1];

static int change(struct event *event, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&event->state, &from, to, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

static void delete_timer(int timer) { DH_SYSCALL(SYS_timer_delete, timer, 0, 0, 0); }

static uint64_t random_of(uint64_t *state) {
  uint64_t random = *state;
  random ^= random << 13;
  random ^= random >> 7;
  random ^= random << 17;
  return *state = random;
}

/* Between half and one and a half periods. */
static uint64_t random_period(uint64_t *state) {
  uint64_t period = __atomic_load_n(&dh_control->period, __ATOMIC_RELAXED);
  if (period < 2)
    period = 2;
  return period / 2 + random_of(state) % period;
}

static long set_timer(int timer, uint64_t ns) {
  struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};
  return DH_SYSCALL(SYS_timer_settime, timer, 0, &when, 0);
}

static long make_timer(struct event *event) {
  struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID,
                        .sigev_signo = DH_SAMPLING_SIGNAL,
                        .sigev_value = {.sival_int = DH_SAMPLING_COOKIE}};
  to._sigev_un._tid = (int)event->tid;
  /* <linux/posix-timers.h>: what the scheduler counts (2) of one thread (4). */
  long clock = (long)(int)(~event->tid << 3 | 6);
  return DH_SYSCALL(SYS_timer_create, clock, &to, &event->timer, 0);
}

/* A thread that is just beginning or ending has no such clock: EINVAL. */
static void say_failure(uint32_t number, long error) {
  static int said;
  if (error != -EINVAL && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    dh_problem(DH_PROBLEM_NO_EVENT, number, (int)-error, "timer_create");
}

static void arm(uint32_t number) {
  struct event *event = &events[number];
  if (!change(event, NONE, ARMING))
    return;
  long error = make_timer(event);
  if (error == 0) {
    uint64_t seed = (uint64_t)event->tid * 0x9e3779b97f4a7c15;
    error = set_timer(event->timer, random_period(&seed));
  }
  if (error != 0) {
    say_failure(number, error);
    change(event, ARMING, NONE);
  } else if (!change(event, ARMING, ARMED)) {
    delete_timer(event->timer);
  }
}

static int is_wanted(void) {
  return __atomic_load_n(&dh_control->on, __ATOMIC_RELAXED) && !dh_process.log_stopped &&
         !(dh_control->options & DH_SAMPLING_NO_SIGNALS);
}

void dh_event_begin(struct dh_sampled_thread *thread) {
  thread->random = (uint64_t)thread->tid * 0x9e3779b97f4a7c15 ^ dh_now();
  events[thread->number].tid = thread->tid;
  __atomic_store_n(&events[thread->number].state, NONE, __ATOMIC_RELEASE);
  if (is_wanted())
    dh_event_again(thread);
}

void dh_event_end(struct dh_sampled_thread *thread) {
  struct event *event = &events[thread->number];
  if (__atomic_exchange_n(&event->state, ENDED, __ATOMIC_ACQ_REL) == ARMED)
    delete_timer(event->timer);
  dh_perf_end(thread);
}

void dh_event_again(struct dh_sampled_thread *thread) {
  struct event *event = &events[thread->number];
  if (!is_wanted()) {
    dh_perf_end(thread); /* a timer that is not set again is silent */
    if (change(event, ARMED, NONE))
      delete_timer(event->timer);
    return;
  }
  if (dh_control->event == DH_EVENT_PERF && dh_perf_again(thread, random_period(&thread->random)))
    return;
  if (event->state == ARMED)
    set_timer(event->timer, random_period(&thread->random));
  else
    arm(thread->number);
}

void dh_events_arm_all(void) {
  if (!is_wanted())
    return;
  uint32_t last = __atomic_load_n(&dh_process.threads, __ATOMIC_ACQUIRE);
  for (uint32_t number = 1; number <= last && number <= DH_THREADS_MAX; number++)
    if (__atomic_load_n(&events[number].tid, __ATOMIC_RELAXED) != 0)
      arm(number);
}

void dh_events_forget(void) {
  for (uint32_t number = 1; number <= dh_process.threads && number <= DH_THREADS_MAX; number++)
    events[number].tid = events[number].state = 0;
}

int dh_event_is_due(const void *siginfo) {
  const siginfo_t *info = siginfo;
  if (info->si_code == SI_TIMER)
    return info->si_value.sival_int == DH_SAMPLING_COOKIE;
  if (info->si_code == SI_QUEUE)
    return info->si_value.sival_int == DH_SAMPLE_NOW_COOKIE;
  return info->si_code > 0; /* POLL_IN: of a perf event */
}
