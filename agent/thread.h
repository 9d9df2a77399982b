/*
 * What the agent keeps for each thread.
 *
 * `busy` guards everything here against signal handlers: while the agent works on a thread's
 * buffer or log (between dh_enter and dh_leave), handlers are put off (hooks/signals.c), and hooks
 * that the agent happens to reach itself only call the real function.
 *
 * Raw records go to [buffer, …); `cursor` is the next one's place, `undrained` the first that
 * dh_drain has not seen. A signal handler gets a buffer of its own, since it may have interrupted a
 * clone that has written half a record.
 */
#ifndef DH_THREAD_H
#define DH_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "deadheat.h"
#include "process.h"

/* For what is done with each access: calls would take longer than the work. */
#define DH_HOT static inline __attribute__((always_inline))

enum dh_thread_state {
  DH_THREAD_NEW = 0, /* nothing was allocated yet */
  DH_THREAD_LIVE,
  DH_THREAD_ENDED,   /* or never logged: clones write into a buffer that nobody reads */
};

struct dh_thread {
  char *cursor; /* where the next raw record goes */
  char *limit;  /* a clone calls dh_drain when cursor >= limit; both are 0 until dh_thread_start */
  uint64_t spill[DH_THREAD_SPILLS]; /* clones save registers here */

  uint64_t *log_at; /* where the next log record goes */
  uint64_t *log_end;
  int busy;
  enum dh_thread_state state;
  uint32_t number; /* in this process; 0: none */
  uint32_t epoch;  /* synchronisation operations so far */
  int quiet;       /* inside a real function whose own locks are not the program's */

  char *buffer;
  char *undrained;
  void *accesses; /* accesses.c's own */
  struct dh_allocation *allocations; /* see allocations.h */

  char *log_path;
  char *log_window; /* the mapped part of the log */

  int masked;          /* signals were blocked while busy: `mask` is what was before */
  uint64_t mask;
  struct dh_handler_frame *handlers; /* signal handlers that are running; innermost first */
  struct dh_once *once;              /* pthread_once that is running */
  uint32_t tid;
  uint32_t interruptions; /* signal handlers so far that restart nothing */
  int destructor_rounds; /* see thread.c */
  char *memory;          /* that of `buffer` (outside signal handlers) and more */
  char *spare_buffer;    /* of a signal handler that has ended */
};
_Static_assert(offsetof(struct dh_thread, cursor) == DH_THREAD_CURSOR, "cursor");
_Static_assert(offsetof(struct dh_thread, limit) == DH_THREAD_LIMIT, "limit");
_Static_assert(offsetof(struct dh_thread, spill) == DH_THREAD_SPILL, "spill");

extern __thread struct dh_thread dh_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Gives the calling thread a number, a buffer and a log, and logs BEGIN; 0 if that cannot be. The
   number is one that a FORK has announced, or 0. */
int dh_thread_start(struct dh_thread *, uint32_t announced);
/* Once per process: what must happen at the end of a thread. */
void dh_threads_prepare(void);
/* This thread is all there is of a forked process: it gets a new log, and what it had not logged
   yet is left to its parent. */
void dh_thread_forked(struct dh_thread *, uint32_t parent, uint32_t parent_thread);
/* Says in the channel what the thread is called now. */
void dh_thread_say_name(struct dh_thread *);
/* Raw records go to the start of `buffer` from here on: sets buffer, undrained, cursor and limit. */
void dh_thread_use_buffer(struct dh_thread *, char *buffer);
/* A buffer that nobody reads: for clones of threads that are not logged. */
extern char dh_nowhere[DH_RAW_BUFFER];
/* Drains what the calling thread has. */
void dh_drain_here(void);
/* The same, and logs what was kept back, before something that may be its last deed. */
void dh_flush_here(void);

/* hooks/signals.c: runs the handlers that were put off; gives back what handlers needed. */
void dh_unmask(struct dh_thread *);
void dh_forget_handlers(struct dh_thread *);

static inline void dh_enter(struct dh_thread *thread) {
  thread->busy++;
  __asm__ volatile("" ::: "memory");
}

static inline void dh_leave(struct dh_thread *thread) {
  __asm__ volatile("" ::: "memory");
  if (--thread->busy != 0)
    return;
  __asm__ volatile("" ::: "memory"); /* until then a signal may have been put off */
  if (__builtin_expect(thread->masked, 0))
    dh_unmask(thread);
}

struct dh_thread *dh_thread_here_slowly(void);

/* The calling thread, started if need be; NULL if it is not to be logged now. */
static inline struct dh_thread *dh_thread_here(void) {
  if (__builtin_expect(!dh_on, 0))
    return NULL;
  struct dh_thread *thread = &dh_self;
  if (__builtin_expect(thread->state == DH_THREAD_LIVE && !thread->busy && !thread->quiet &&
                           dh_fork_mark.owner != 0,
                       1))
    return thread;
  return dh_thread_here_slowly();
}

#endif
