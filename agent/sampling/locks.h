/* The locks that a thread holds: see thread.h. */
#ifndef DH_SAMPLING_LOCKS_H
#define DH_SAMPLING_LOCKS_H

#include "thread.h"

#define DH_SHARED 1 /* in the address of a lock */

/* An operation that was left by a jump, or one that a handler of the program has interrupted. */
void dh_lock_begin_again(uintptr_t here);

DH_HOT void dh_lock_begin(void) {
  uintptr_t here;
  __asm__ volatile("mov %%rsp, %0" : "=r"(here));
  if (DH_UNLIKELY(dh_thread.inside != 0))
    dh_lock_begin_again(here);
  else
    dh_thread.inside = here;
  DH_BARRIER();
}

DH_HOT void dh_lock_end(void) {
  DH_BARRIER();
  if (DH_UNLIKELY(dh_thread.nested != 0))
    dh_thread.nested--;
  else
    dh_thread.inside = 0;
}

DH_HOT void dh_lock_add(const void *lock, uintptr_t shared) {
  uint32_t held = dh_thread.held;
  dh_thread.taken++;
  if (DH_UNLIKELY(held >= DH_LOCKS_KEPT)) {
    dh_thread.more++;
    return;
  }
  dh_thread.locks[held] = (uintptr_t)lock | shared;
  dh_thread.held = held + 1;
}

/* For all but the lock that was taken last. */
void dh_lock_remove_earlier(uintptr_t lock);

DH_HOT void dh_lock_remove(const void *lock) {
  uint32_t last = dh_thread.held - 1;
  if (__builtin_expect(last < DH_LOCKS_KEPT &&
                           (dh_thread.locks[last] & ~(uintptr_t)DH_SHARED) == (uintptr_t)lock, 1))
    dh_thread.held = last;
  else
    dh_lock_remove_earlier((uintptr_t)lock);
}

/* Whether an operation is under way, if the stack pointer is there. */
int dh_is_inside(uintptr_t stack_pointer);

#endif
