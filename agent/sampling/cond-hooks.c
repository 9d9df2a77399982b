/*
 * Conditions. A wait lets go of its mutex, and has it again when it is over, also when the thread is cancelled in
 * it: then a cleanup handler sees to that, of the kind that needs no unwinder. pthread_cond_* have the version
 * GLIBC_2.3.2 (agent/exports.map): the conditions of programs that were built before that look different, and
 * are left alone.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>

#include "../real.h"
#include "handover.h"
#include "locks.h"
#include "sync.h"

typedef pthread_cond_t condition;
typedef const struct timespec *deadline;

struct wait {
  const void *condition, *mutex;
};

static void end_wait(void *argument) {
  struct wait *wait = argument;
  dh_lock_add(wait->mutex, 0);
  dh_handover_taken(wait->mutex);
  dh_acquire(DH_OP_WAIT_END, wait->condition, (uintptr_t)wait->mutex);
  dh_lock_end();
}

#define WAITS(version, name, parameters, arguments)                                                \
  DH_REAL_VERSION(version, int, name, parameters, arguments)                                       \
  DH_HOOK int name parameters {                                                                    \
    struct wait wait = {what, mutex};                                                              \
    int result;                                                                                    \
    dh_lock_begin();                                                                               \
    dh_lock_remove(mutex);                                                                         \
    dh_handover_begins(mutex);                                                                     \
    dh_handover_let_go(mutex);                                                                     \
    pthread_cleanup_push(end_wait, &wait);                                                         \
    result = real_##name arguments;                                                                \
    pthread_cleanup_pop(1);                                                                        \
    return result;                                                                                 \
  }

#define WAKES(version, name, parameters, op)                                                       \
  DH_REAL_VERSION(version, int, name, parameters, (what))                                          \
  DH_HOOK int name parameters {                                                                    \
    dh_handover_is_signalled();                                                                    \
    dh_release(op, what);                                                                          \
    return real_##name(what);                                                                      \
  }

#define VERSION "GLIBC_2.3.2"
WAITS(VERSION, pthread_cond_wait, (condition * what, pthread_mutex_t *mutex),
      (what, mutex))
WAITS(VERSION, pthread_cond_timedwait,
      (condition * what, pthread_mutex_t *mutex, deadline until), (what, mutex, until))
WAITS(NULL, pthread_cond_clockwait,
      (condition * what, pthread_mutex_t *mutex, clockid_t clock, deadline until),
      (what, mutex, clock, until))
WAKES(VERSION, pthread_cond_signal, (condition * what), DH_OP_SIGNAL)
WAKES(VERSION, pthread_cond_broadcast, (condition * what), DH_OP_BROADCAST)

WAITS(NULL, cnd_wait, (cnd_t * what, mtx_t *mutex), (what, mutex))
WAITS(NULL, cnd_timedwait, (cnd_t * what, mtx_t *mutex, deadline until),
      (what, mutex, until))
WAKES(NULL, cnd_signal, (cnd_t * what), DH_OP_SIGNAL)
WAKES(NULL, cnd_broadcast, (cnd_t * what), DH_OP_BROADCAST)
