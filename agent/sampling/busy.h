/*
 * Whether the thread is in the middle of logging. `busy` is the stack pointer of whoever logs: a handler of the program
 * may interrupt that, and leave by siglongjmp. Then nobody would come back to say that it is over, and the thread would
 * never be sampled again; but its stack pointer is above that frame from then on.
 *
 *   sem_post · our hook: busy = 0x7ffe10 … SIGALRM: siglongjmp · the program goes on at 0x7ffe80: not busy any more
 */
#ifndef DH_SAMPLING_BUSY_H
#define DH_SAMPLING_BUSY_H

#include "thread.h"

DH_HOT uintptr_t dh_here(void) {
  uintptr_t here;
  __asm__ volatile("mov %%rsp, %0" : "=r"(here));
  return here;
}

/* Of one that has `busy` set, if its stack pointer is there. */
int dh_is_busy(struct dh_sampled_thread *, uintptr_t stack_pointer);

/* The same for a hook: one that finds itself in the very place has come there again. */
#define DH_IS_BUSY(thread) (DH_UNLIKELY((thread)->busy) && dh_is_busy((thread), dh_here() + 1))

#endif
