/*
 * The log of a thread: a file of which the first part is mapped (deadheat.h). What is written there
 * survives whatever happens to the process. Its blocks are reserved before: a full disk must never
 * become a SIGBUS of the program; logging stops instead, and the channel says so.
 */
#ifndef DH_LOG_H
#define DH_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "deadheat.h"
#include "thread.h"

/* Numbers of synchronisation operations: the next one. */
extern uint64_t dh_next_seq;

static inline uint64_t dh_take_seq(void) {
  return __atomic_fetch_add(&dh_next_seq, 1, __ATOMIC_RELAXED);
}

/* The number that the next operation, of whatever thread, will get. */
static inline uint64_t dh_coming_seq(void) {
  return __atomic_load_n(&dh_next_seq, __ATOMIC_RELAXED);
}

/* Opens the log of a thread that has its number. */
void dh_log_open(struct dh_thread *);
/* It stays as it is: nothing more will be written. */
void dh_log_close(struct dh_thread *);
/* Empties the window; 0 if that cannot be. Also finds out that this is the child of a fork. */
int dh_log_more(struct dh_thread *);

/* Bytes so far, but for the latest. */
static inline uint64_t dh_logged(const struct dh_thread *thread) {
  return thread->log_window == NULL ? 0 : ((const struct dh_log_header *)thread->log_window)->flushed;
}

/* Finds out that this is the child of a fork, before what is logged without looking for that. */
static inline void dh_log_notice_fork(struct dh_thread *thread) {
  if (__builtin_expect(dh_fork_mark.owner == 0, 0))
    dh_log_more(thread);
}

/* Room for `count` words (at most DH_LOG_LARGEST), or NULL: write the first word last. */
static inline uint64_t *dh_log_room(struct dh_thread *thread, int count) {
  if (__builtin_expect(thread->log_end - thread->log_at < count || dh_fork_mark.owner == 0, 0) &&
      !dh_log_more(thread))
    return NULL;
  return thread->log_at;
}

/* Appends one record. Call it only while thread->busy (see dh_enter). */
static inline void dh_log(struct dh_thread *thread, const uint64_t *words, int count) {
  uint64_t *at = dh_log_room(thread, count);
  if (at == NULL)
    return;
  for (int i = count - 1; i > 0; i--)
    at[i] = words[i];
  __atomic_store_n(at, words[0], __ATOMIC_RELEASE);
  thread->log_at = at + count;
}

/* What hooks call: drains, takes a number, logs, begins a new epoch. Keeps errno. But for waits,
   `extra` has 16 bits. */
void dh_sync(enum dh_op op, const void *object, uint64_t extra, const void *caller);

/* Before a lock is asked for: what is to be drained anyway is not drained while others wait for the lock. */
static inline void dh_before_lock(void) {
  if (dh_on && dh_self.cursor != dh_self.undrained)
    dh_drain_here();
}

/*
 * dh_sync in two steps, around what really lets go of a lock: the number is taken before, but what the
 * thread has done until then is looked at afterwards, when others may have the lock. NULL: nothing to log.
 */
struct dh_thread *dh_release_begin(const void *caller, uint64_t *seq);
void dh_release_end(struct dh_thread *, uint64_t seq, enum dh_op op, const void *object,
                    uint64_t extra, const void *caller);

/* dh_sync for a thread between dh_enter and dh_leave. */
void dh_log_sync(struct dh_thread *, enum dh_op op, const void *object, uint64_t extra,
                 const void *caller);

/* ALLOCATE and FREE, for a thread between dh_enter and dh_leave. */
void dh_log_memory(struct dh_thread *, enum dh_op op, uint64_t seq, const void *at, size_t size,
                   const void *caller);

#endif
