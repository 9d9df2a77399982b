/*
 * The initialisation of a static variable in a C++ function, which the compiler guards: like
 * pthread_once. These live in libstdc++; a program without it never calls them.
 */
#define _GNU_SOURCE
#include "../log.h"
#include "../real.h"

DH_REAL(int, __cxa_guard_acquire, (void *guard), (guard))
DH_REAL(void, __cxa_guard_release, (void *guard), (guard))
DH_REAL(void, __cxa_guard_abort, (void *guard), (guard))

DH_HOOK int __cxa_guard_acquire(void *guard) {
  int result = real___cxa_guard_acquire(guard);
  if (dh_on)
    dh_sync(result != 0 ? DH_OP_ONCE_BEGIN : DH_OP_ONCE_PASS, guard, 0, DH_CALLER);
  return result;
}

DH_HOOK void __cxa_guard_release(void *guard) {
  if (dh_on)
    dh_sync(DH_OP_ONCE_END, guard, 0, DH_CALLER);
  real___cxa_guard_release(guard);
}

DH_HOOK void __cxa_guard_abort(void *guard) {
  if (dh_on)
    dh_sync(DH_OP_ONCE_END, guard, 1, DH_CALLER);
  real___cxa_guard_abort(guard);
}
