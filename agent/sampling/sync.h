/*
 * What hooks call when threads meet: logs a SYNC record with the time, if there is anything new in it (news.h). What
 * releases is told before it is done, what acquires afterwards. errno is kept.
 */
#ifndef DH_SAMPLING_SYNC_H
#define DH_SAMPLING_SYNC_H

#include "news.h"

/* The beginning and the end of threads, which are always logged. */
void dh_sync(enum dh_op op, const void *object, uint64_t extra);
void dh_release_slowly(enum dh_op op, const void *object);
void dh_acquire_slowly(enum dh_op op, const void *object, uint64_t extra);

DH_HOT void dh_release(enum dh_op op, const void *object) {
  if (__builtin_expect(dh_has_said_all(object) && dh_is_plain(), 1))
    dh_thread.silent_syncs++;
  else
    dh_release_slowly(op, object);
}

DH_HOT void dh_acquire(enum dh_op op, const void *object, uint64_t extra) {
  if (__builtin_expect(dh_has_heard_all(object) && dh_is_plain(), 1))
    dh_thread.silent_syncs++;
  else
    dh_acquire_slowly(op, object, extra);
}

#endif
