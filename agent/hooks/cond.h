/*
 * A wait for a condition, whether of pthreads or of C11: it lets go of a mutex, and has it again
 * when it is over. A thread that is cancelled in it has the mutex again, too, before its cleanup
 * handlers run; so its end is logged in a cleanup handler of our own. That one is of the kind that
 * needs no unwinder: the agent does not link with one.
 */
#ifndef DH_HOOKS_COND_H
#define DH_HOOKS_COND_H

#include <pthread.h>

#include "../log.h"

struct dh_wait {
  const void *condition;
  const void *mutex;
  const void *caller;
};

static void dh_wait_end(void *argument) {
  struct dh_wait *wait = argument;
  dh_sync(DH_OP_WAIT_END, wait->condition, (uintptr_t)wait->mutex, wait->caller);
}

/* Sets `result` to that of the real call. */
#define DH_WAIT(result, condition_, mutex_, caller_, call)                                         \
  do {                                                                                             \
    struct dh_wait wait = {condition_, mutex_, caller_};                                           \
    dh_sync(DH_OP_WAIT_BEGIN, wait.condition, (uintptr_t)wait.mutex, wait.caller);                 \
    pthread_cleanup_push(dh_wait_end, &wait);                                                      \
    result = call;                                                                                 \
    pthread_cleanup_pop(1);                                                                        \
  } while (0)

#endif
