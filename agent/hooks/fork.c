/*
 * Forks, and the last moments of a program. After vfork, parent and child share their memory, and
 * are one thread as far as the log is concerned.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../exec-hooks.h"
#include "../real.h"
#include "../thread.h"
#include "hooks.h"

/* Registered before the program can: so it runs last before a fork, and first in the child. */
void dh_fork_prepare(void) {
  pthread_atfork(dh_drain_here, NULL, dh_process_forked);
}

static void before_exec(void) { dh_flush_here(); }
static void exec_failed(void) {}

DH_REAL(void, _exit, (int status), (status))
DH_REAL(void, quick_exit, (int status), (status))
DH_REAL(void, abort, (void), ())

DH_HOOK void _exit(int status) {
  dh_flush_here();
  real__exit(status);
  __builtin_unreachable();
}

DH_HOOK void _Exit(int status) {
  dh_flush_here();
  real__exit(status);
  __builtin_unreachable();
}

DH_HOOK void quick_exit(int status) {
  dh_flush_here();
  real_quick_exit(status);
  __builtin_unreachable();
}

DH_HOOK void abort(void) {
  dh_flush_here();
  real_abort();
  __builtin_unreachable();
}
