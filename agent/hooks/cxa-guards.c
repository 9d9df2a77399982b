/*
 * The initialisation of a static variable in a C++ function, which the compiler guards: like
 * pthread_once. These live in libstdc++; a program without it never calls them.
 */
#define _GNU_SOURCE
#include "../log.h"
#include "../real.h"
#include "../schedule.h"

DH_REAL(int, __cxa_guard_acquire, (void *guard), (guard))
DH_REAL(void, __cxa_guard_release, (void *guard), (guard))
DH_REAL(void, __cxa_guard_abort, (void *guard), (guard))

DH_HOOK int __cxa_guard_acquire(void *guard) {
  uint32_t turn = dh_turn(DH_OP_ONCE_PASS, guard, 0, DH_CALLER);
  int result = real___cxa_guard_acquire(guard);
  if (!dh_on)
    return result;
  enum dh_op op = result != 0 ? DH_OP_ONCE_BEGIN : DH_OP_ONCE_PASS;
  dh_sync(op, guard, 0, DH_CALLER);
  dh_turn_done(turn, op, guard, DH_CALLER);
  return result;
}

/* Somebody whose turn it is to pass waits until it is really done. */
static inline void end(void *guard, uint64_t given_up, const void *caller) {
  if (!dh_on)
    return;
  uint32_t turn = dh_turn(DH_OP_ONCE_END, guard, 0, caller);
  dh_sync(DH_OP_ONCE_END, guard, given_up, caller);
  dh_turn_done(turn, DH_OP_ONCE_END, guard, caller);
}

DH_HOOK void __cxa_guard_release(void *guard) {
  end(guard, 0, DH_CALLER);
  real___cxa_guard_release(guard);
}

DH_HOOK void __cxa_guard_abort(void *guard) {
  end(guard, 1, DH_CALLER);
  real___cxa_guard_abort(guard);
}
