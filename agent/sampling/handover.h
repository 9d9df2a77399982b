/*
 * Mutexes by which threads hand things over: those that conditions are waited for with.
 *
 *   producer   fill in the job · lock · put it into the queue · signal · unlock
 *   consumer   lock · the queue is not empty, so it does not wait · take the job · unlock · use it
 *
 * The job is touched without the lock by both, and no wait says who comes first: the mutex does. So these are logged
 * as semaphores are, a POST when they are let go and a WAIT_DONE when they are taken. All other mutexes are not: who
 * has one first is chance, and would hide races that another run has.
 *
 * They are known by a byte each, in a table that each lock looks at. Another mutex may have the same one, if it is half
 * a megabyte away: then it counts as one, too, and hides some races that nothing else orders.
 */
#ifndef DH_SAMPLING_HANDOVER_H
#define DH_SAMPLING_HANDOVER_H

#include "locks.h"
#include "sync.h"

#define DH_HANDOVER_BYTES 65536

extern uint8_t dh_handovers[DH_HANDOVER_BYTES] DH_HIDDEN;

DH_HOT uint8_t *dh_handover_at(const void *mutex) {
  return &dh_handovers[(uintptr_t)mutex / 8 % DH_HANDOVER_BYTES];
}

DH_HOT void dh_handover_begins(const void *mutex) {
  uint8_t *is_one = dh_handover_at(mutex);
  if (DH_UNLIKELY(!*is_one))
    __atomic_store_n(is_one, 1, __ATOMIC_RELAXED);
}

/* What is signalled belongs to the lock that was taken last, in most programs: perhaps nobody ever has to wait. */
DH_HOT void dh_handover_is_signalled(void) {
  uint32_t held = dh_thread.held;
  if (held > 0 && held <= DH_LOCKS_KEPT)
    dh_handover_begins((const void *)(dh_thread.locks[held - 1] & ~(uintptr_t)DH_SHARED));
}

/* Blocks that are kept back may wait: that locks were taken is known of them, as of all locks (blocks.h). */
DH_HOT void dh_handover_taken(const void *mutex) {
  if (__builtin_expect(!*dh_handover_at(mutex), 1))
    return;
  if (__builtin_expect(dh_has_heard_all(mutex) && !dh_thread.busy, 1))
    dh_thread.silent_syncs++;
  else
    dh_acquire_slowly(DH_OP_WAIT_DONE, mutex, 0);
}

DH_HOT void dh_handover_let_go(const void *mutex) {
  if (__builtin_expect(!*dh_handover_at(mutex), 1))
    return;
  if (__builtin_expect(dh_has_said_all(mutex) && !dh_thread.busy, 1))
    dh_thread.silent_syncs++;
  else
    dh_release_slowly(DH_OP_POST, mutex);
}

#endif
