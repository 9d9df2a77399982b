/*
 * What the sampling agent keeps for each thread: in TLS, at a fixed distance from %fs.
 *
 * The locks that a thread holds are changed after the real lock call and before the real unlock call, so that
 * every access of the program between the two is sampled with the lock. While such an operation is under way,
 * `inside` is not 0, and a sample says so. It is the address of the operation's stack frame: if the operation
 * was left by a jump, the stack pointer is above it, and it counts no more.
 *
 *   lock:    inside = here · real lock · locks[held++] = it · inside = 0
 *   unlock:  inside = here · held-- · real unlock · inside = 0
 *
 * Nothing else guards the locks: the only other one to look at them is the handler, on the same thread.
 * `busy` guards the log: while it is not 0, the handler takes no sample, and a hook that a handler of the program
 * reaches logs nothing but that something is missing.
 */
#ifndef DH_SAMPLING_THREAD_H
#define DH_SAMPLING_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "../deadheat.h"

/* More than a sample tells of, so that it is known which of the others are still held. */
#define DH_LOCKS_KEPT (2 * DH_LOCKS_MAX)

enum dh_thread_state {
  DH_THREAD_NEW = 0, /* it has no number yet */
  DH_THREAD_LIVE,
  DH_THREAD_ENDED, /* or there have been too many */
};

#define DH_MET 64 /* objects that a thread remembers to have met others by */

/* What it has said and heard there last: see news.h. */
struct dh_met {
  uintptr_t object;
  uint32_t said;  /* its `version` then, plus 1 */
  uint32_t heard; /* the object's generation then, plus 1 */
};

struct dh_sampled_thread {
  uintptr_t inside;   /* the frame of a lock operation that is under way; 0: none */
  uint32_t nested;    /* further ones, of handlers that have interrupted it */
  uint32_t held;      /* of `locks` */
  uint32_t more;      /* locks that found no room there either */
  uint32_t blocks;    /* of `block` */
  uint32_t taken;     /* locks, since they were last added up */
  uint32_t taken_before;
  uintptr_t busy;     /* the frame of whoever logs (busy.h), or 1; 0: nobody */
  uint8_t is_logging; /* its log has said that it begins, and has not said that it ends */
  uint8_t has_gap;    /* something could not be logged */
  uint8_t state;      /* enum dh_thread_state */
  uint32_t number;
  uintptr_t locks[DH_LOCKS_KEPT]; /* with bit 0 if shared; a sample tells of the first DH_LOCKS_MAX */
  uint64_t block[DH_BLOCKS_MAX]; /* as in a MEMORY record, not yet logged */
  uint64_t block_time;           /* of the first */
  uint32_t block_taken;          /* what `taken` was at the last one */
  uint32_t version;              /* goes up with all that it has to tell others */
  uint32_t silent_syncs;         /* operations that were not logged, since they were last added up */
  uint32_t syncs;                /* those that were */
  struct dh_met met[DH_MET];

  /* How it began, as a SYNC record, until there is more to log: one that does nothing of interest needs no log. */
  uint64_t beginning[DH_SAMPLED_SYNC_WORDS]; /* the first word is 0 if there is none */

  uint64_t *log_at;  /* where the next record goes */
  uint64_t *log_end; /* behind which there is still DH_LOG_LAST_WORDS */
  char *log_window;
  uint32_t tid;
  uint32_t allocations; /* since they were last added up */
  uint64_t random;
  uintptr_t stack, stack_end;
  void *perf_area;
  uint32_t samples; /* that it has logged */
  uint32_t perf_samples; /* since the event was made */
  uint32_t destructor_rounds;
  struct dh_once *once;
};

extern __thread struct dh_sampled_thread dh_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern struct dh_sampling_control *dh_control DH_HIDDEN; /* NULL: nothing is sampled, ever */

#define DH_HOT static inline __attribute__((always_inline))
#define DH_BARRIER() __asm__ volatile("" ::: "memory")
#define DH_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A number for a thread to be; 0 if there have been too many. Then nobody is logged from here on: what the new one
   does would not be known. */
uint32_t dh_thread_number(void);
/* Gives the calling thread a number (or that one, if it is not 0). */
void dh_thread_begin(uint32_t number, uintptr_t stack, uintptr_t stack_end);
void dh_threads_prepare(void);
/* This thread is all there is of a forked process. */
void dh_thread_forked(uint32_t parent, uint32_t parent_thread);

/* The time in ticks. */
extern int dh_clock_is_tsc DH_HIDDEN;
uint64_t dh_monotonic(void);
DH_HOT uint64_t dh_now(void) {
  if (DH_UNLIKELY(!dh_clock_is_tsc))
    return dh_monotonic();
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t)high << 32 | low;
}

#endif
