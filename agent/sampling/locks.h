/* The locks that a thread holds: see thread.h. */
#ifndef DH_SAMPLING_LOCKS_H
#define DH_SAMPLING_LOCKS_H

#include "thread.h"

#define DH_SHARED 1 /* in the address of a lock */

/* Begins an operation; what it gives is for dh_lock_end: a handler may have interrupted another one. */
DH_HOT uintptr_t dh_lock_begin(void) {
  uintptr_t before = dh_thread.inside, here;
  __asm__ volatile("mov %%rsp, %0" : "=r"(here));
  dh_thread.inside = here;
  DH_BARRIER();
  return before;
}

DH_HOT void dh_lock_end(uintptr_t before) {
  DH_BARRIER();
  dh_thread.operations++;
  DH_BARRIER();
  dh_thread.inside = before;
}

DH_HOT void dh_lock_add(const void *lock, uintptr_t shared) {
  uint32_t held = dh_thread.held;
  if (DH_UNLIKELY(held >= DH_LOCKS_MAX)) {
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
  if (__builtin_expect(last < DH_LOCKS_MAX &&
                           (dh_thread.locks[last] & ~(uintptr_t)DH_SHARED) == (uintptr_t)lock, 1))
    dh_thread.held = last;
  else
    dh_lock_remove_earlier((uintptr_t)lock);
}

/* Whether an operation is under way, if the stack pointer is there. */
int dh_is_inside(uintptr_t stack_pointer);

#endif
