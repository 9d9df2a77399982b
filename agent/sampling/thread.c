#define _GNU_SOURCE
#include "thread.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "../process.h"
#include "../syscalls.h"
#include "../thread-numbers.h"
#include "events.h"
#include "handler.h"
#include "log.h"
#include "sync.h"

__thread struct dh_sampled_thread dh_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct dh_sampling_control *dh_control;
int dh_clock_is_tsc;

static pthread_key_t ends;

uint64_t dh_monotonic(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint32_t dh_thread_number(void) {
  uint32_t number = dh_new_thread_number();
  if (number == 0)
    __atomic_store_n(&dh_process.log_stopped, 1, __ATOMIC_RELAXED);
  return number;
}

void dh_thread_begin(uint32_t number, uintptr_t stack, uintptr_t stack_end) {
  struct dh_sampled_thread *thread = &dh_thread;
  if (thread->state != DH_THREAD_NEW)
    return;
  uintptr_t busy = thread->busy;
  thread->busy = 1;
  thread->number = number != 0 ? number : dh_thread_number();
  thread->tid = (uint32_t)DH_SYSCALL(SYS_gettid, 0, 0, 0, 0);
  thread->stack = stack;
  thread->stack_end = stack_end;
  thread->state = thread->number == 0 ? DH_THREAD_ENDED : DH_THREAD_LIVE;
  if (thread->state == DH_THREAD_LIVE) {
    dh_remember_thread(pthread_self(), thread->number);
    pthread_setspecific(ends, thread);
    dh_news_own(thread); /* that it is there */
    dh_handler_let_in();
    dh_event_begin(thread);
  }
  thread->busy = busy;
}

/*
 * Called at the end of a thread, however it ends: by returning, pthread_exit or pthread_cancel. The program's
 * own destructors may still lock and free, so ours asks to be called again as long as libc does that.
 */
static void destructor(void *value) {
  struct dh_sampled_thread *thread = value;
  if (thread->state != DH_THREAD_LIVE)
    return;
  if (++thread->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(ends, thread);
    return;
  }
  thread->busy = 0; /* cancelled in the middle of the agent, asynchronously: what it was about is lost */
  if (thread->is_logging)
    dh_sync(DH_OP_END, (void *)pthread_self(), 0);
  thread->busy = 1;
  dh_event_end(thread);
  char name[16] = {0};
  DH_SYSCALL(SYS_prctl, 16 /* PR_GET_NAME */, name, 0, 0);
  if (thread->log_window != NULL)
    dh_say_thread_name(thread->number, thread->tid, name);
  dh_log_close(thread);
  thread->state = DH_THREAD_ENDED;
  thread->busy = 0;
}

void dh_threads_prepare(void) { pthread_key_create(&ends, destructor); }

void dh_thread_forked(uint32_t parent, uint32_t parent_thread) {
  struct dh_sampled_thread *thread = &dh_thread;
  dh_forget_threads();
  dh_log_forget(thread);
  thread->perf_area = NULL; /* the kernel does not let a child have it */
  if (thread->state != DH_THREAD_LIVE)
    return;
  thread->number = 1;
  thread->tid = dh_process.pid;
  dh_news_forked(thread);
  dh_remember_thread(pthread_self(), thread->number);
  dh_log_beginning(thread, DH_OP_PROCESS_FORK, (void *)(uintptr_t)parent, parent_thread);
  dh_event_begin(thread);
}
