/* Handing a new thread its number: for pthread_create and thrd_create. */
#ifndef DH_HOOKS_THREAD_H
#define DH_HOOKS_THREAD_H

#include <stdint.h>

struct dh_handover {
  void *start; /* the program's routine */
  void *argument;
  uint64_t stack_size;
};

/* Logs FORK; the new thread's number, or 0 if it will not be logged. */
uint32_t dh_announce_thread(void *start, void *argument, uint64_t stack_size, const void *caller);
/* In the new thread, before anything else: becomes that number. */
struct dh_handover dh_begin_announced(uint32_t number);
/* After the real call. The new thread may have freed what `thread` points to, so that the kernel
   is asked to read it. */
void dh_remember_created(const unsigned long *thread, uint32_t number);
uint64_t dh_default_stack_size(void);

#endif
