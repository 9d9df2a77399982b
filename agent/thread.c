#define _GNU_SOURCE
#include "thread.h"

#include <limits.h>
#include <pthread.h>

#include "accesses.h"
#include "allocations.h"
#include "filter.h"
#include "log.h"
#include "schedule.h"
#include "syscalls.h"
#include "thread-numbers.h"

__thread struct dh_thread dh_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

char dh_nowhere[DH_RAW_BUFFER];

/* In one piece: the raw buffer, the path of the log (a handler's stack may have no room for it),
   and allocations. */
#define PATH_AT DH_RAW_BUFFER
#define ALLOCATIONS_AT (PATH_AT + sizeof dh_process.folder)
#define OWN_MEMORY (ALLOCATIONS_AT + DH_ALLOCATIONS * sizeof(struct dh_allocation))

static pthread_key_t ends;

void dh_thread_use_buffer(struct dh_thread *thread, char *buffer) {
  thread->buffer = thread->undrained = thread->cursor = buffer;
  thread->limit = buffer + DH_RAW_BUFFER - DH_RAW_LARGEST;
}

static int refuse(struct dh_thread *thread) {
  thread->state = DH_THREAD_ENDED;
  dh_thread_use_buffer(thread, dh_nowhere);
  dh_leave(thread);
  return 0;
}

int dh_thread_start(struct dh_thread *thread, uint32_t announced) {
  dh_enter(thread);
  thread->number = announced != 0 ? announced : dh_new_thread_number();
  char *buffer = thread->number == 0 ? NULL : dh_map(OWN_MEMORY);
  if (buffer == NULL)
    return refuse(thread);
  dh_thread_use_buffer(thread, buffer);
  thread->memory = buffer;
  thread->log_path = buffer + PATH_AT;
  thread->allocations = (struct dh_allocation *)(buffer + ALLOCATIONS_AT);
  thread->tid = (uint32_t)DH_SYSCALL(SYS_gettid, 0, 0, 0, 0);
  thread->epoch = 0;
  dh_log_open(thread);
  dh_accesses_start(thread);
  thread->state = DH_THREAD_LIVE;
  dh_schedule_thread_begins(thread);
  dh_remember_thread(pthread_self(), thread->number);
  pthread_setspecific(ends, thread);
  int forked = announced > 1;
  dh_log_sync(thread, DH_OP_BEGIN, (void *)pthread_self(), (uint64_t)forked, NULL);
  dh_leave(thread);
  return 1;
}

static void end_thread(struct dh_thread *thread) {
  dh_enter(thread);
  dh_log_allocations(thread);
  dh_log_sync(thread, DH_OP_END, (void *)pthread_self(), 0, NULL);
  dh_thread_say_name(thread);
  dh_accesses_end(thread);
  dh_log_close(thread);
  thread->state = DH_THREAD_ENDED;
  dh_thread_use_buffer(thread, dh_nowhere);
  dh_unmap(thread->memory, OWN_MEMORY);
  dh_forget_handlers(thread);
  dh_leave(thread);
}

/*
 * Called at the end of a thread, however it ends: by returning, pthread_exit or pthread_cancel. The
 * program's own destructors may still lock and free, so ours asks to be called again as long as
 * libc does that.
 */
static void destructor(void *value) {
  struct dh_thread *thread = value;
  if (thread->state != DH_THREAD_LIVE)
    return;
  if (++thread->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(ends, thread);
    return;
  }
  /* Cancelled in the middle of the agent, asynchronously: what it was about is lost, no more. */
  if (thread->busy > 0)
    dh_order_abandon(thread);
  thread->busy = thread->quiet = 0;
  dh_schedule_thread_ends(thread);
  end_thread(thread);
}

void dh_threads_prepare(void) { pthread_key_create(&ends, destructor); }

struct dh_thread *dh_thread_here_slowly(void) {
  struct dh_thread *thread = &dh_self;
  if (dh_fork_mark.owner == 0)
    dh_process_forked();
  if (thread->busy || thread->quiet || thread->state == DH_THREAD_ENDED)
    return NULL;
  if (thread->state == DH_THREAD_NEW && !dh_thread_start(thread, 0))
    return NULL;
  return thread;
}

void dh_thread_forked(struct dh_thread *thread, uint32_t parent, uint32_t parent_thread) {
  dh_forget_threads();
  if (thread->state != DH_THREAD_LIVE)
    return;
  if (thread->log_window != NULL)
    dh_unmap(thread->log_window, DH_LOG_WINDOW); /* the parent's */
  thread->number = 1;
  thread->tid = dh_process.pid;
  thread->epoch = 0;
  dh_thread_use_buffer(thread, thread->buffer);
  for (int i = 0; i < DH_ALLOCATIONS; i++)
    thread->allocations[i].at = NULL;
  dh_log_open(thread);
  dh_accesses_forked(thread);
  dh_remember_thread(pthread_self(), thread->number);
  dh_log_sync(thread, DH_OP_PROCESS_FORK, (void *)(uintptr_t)parent, parent_thread, NULL);
}

void dh_thread_say_name(struct dh_thread *thread) {
  char name[16] = {0};
  DH_SYSCALL(SYS_prctl, 16 /* PR_GET_NAME */, name, 0, 0);
  dh_say_thread_name(thread->number, thread->tid, name);
}

void dh_drain_here(void) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL)
    return;
  dh_enter(thread);
  dh_drain(thread);
  dh_leave(thread);
}

void dh_flush_here(void) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL)
    return;
  dh_enter(thread);
  dh_drain(thread);
  dh_log_allocations(thread);
  dh_leave(thread);
}
