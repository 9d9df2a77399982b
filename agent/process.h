/*
 * What is the same for all threads of this process.
 *
 * `dh_on` is all that most hooks ever look at: 0 means that the program is not traced, and the hook
 * only calls the real function.
 */
#ifndef DH_PROCESS_H
#define DH_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "deadheat.h"

/* Threads are logged. Set once, at the end of the agent's start, and never taken back. */
extern int dh_on;
/* Ranges (mem*, str*) are logged as well: 1 if something is instrumented, so that they go through the
   filter; DH_OPTION_RANGES if all of them are to be logged. */
extern int dh_ranges_on;

struct dh_process {
  uint32_t number;
  uint32_t pid;
  uint32_t parent_number;   /* 0, or the process that forked this one */
  uint32_t threads;         /* numbers handed out so far */
  int unlogged;             /* nothing is to be logged: hooks are there for something else */
  int log_stopped;          /* no log can grow any more */
  uintptr_t libc, libc_end; /* code of libc.so */
  uintptr_t loader, loader_end;
  uintptr_t libgcc, libgcc_end; /* 0 as long as it is not loaded */
  char folder[4096]; /* of the channel and the logs; with a slash at its end */
  size_t folder_length;
};
extern struct dh_process dh_process;

/*
 * A page that the kernel clears in the child of any fork, even of a bare clone(2) that runs no
 * handlers: `owner` is the process's number, and 0 in a child that does not know yet that it is one.
 */
extern struct dh_fork_mark {
  volatile uint32_t owner;
  char rest_of_page[4096 - sizeof(uint32_t)];
} __attribute__((aligned(4096))) dh_fork_mark DH_HIDDEN;

/* The steps of the start (agent.c), and of becoming a process of one's own. */
void dh_process_number(void);
void dh_process_find_libc(void);
void dh_process_mark(void);
void dh_process_hello(void);

/* The child of a fork becomes a process of its own, with new logs. */
void dh_process_forked(void);

/* Whether it is code of libgcc_s, which libc may load at any time. */
int dh_is_unwinder(uintptr_t at);

/* libc, the loader and libgcc_s, whose own locks are not the program's business. The last one has a lock
   that is only taken because our clones are registered with it. */
static inline int dh_is_internal(const void *caller) {
  uintptr_t at = (uintptr_t)caller;
  if (at - dh_process.libc < dh_process.libc_end - dh_process.libc ||
      at - dh_process.loader < dh_process.loader_end - dh_process.loader)
    return 1;
  if (__builtin_expect(__atomic_load_n(&dh_process.libgcc, __ATOMIC_ACQUIRE) != 0, 1))
    return at - dh_process.libgcc < dh_process.libgcc_end - dh_process.libgcc;
  return dh_is_unwinder(at);
}

/* Appends a record to the channel: `head` up to its variable part, then one or two byte strings.
   record.size is filled in; nothing happens without a channel. */
void dh_channel_append(struct dh_record *head, size_t head_size, const void *bytes, size_t length,
                       const void *more, size_t more_length);
void dh_problem(enum dh_problem_kind what, uint32_t thread, int error, const char *text);

/* [core] blob.c: maps blobs and patches what is loaded; the number of images with clones. */
int dh_blobs_start(void) __attribute__((weak));
/* [core] blob.c: dlopen or dlclose has changed what is loaded. */
void dh_blobs_changed(void) __attribute__((weak));

#endif
