/* pthread_create and what ends a thread or waits for its end. */
#define _GNU_SOURCE
#include "thread.h"

#include <pthread.h>

#include "../accesses.h"
#include "../log.h"
#include "../real.h"
#include "../schedule.h"
#include "../syscalls.h"
#include "../thread-numbers.h"
#include "hooks.h"

typedef void *(*start_routine)(void *);

DH_REAL(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, start_routine start, void *argument),
        (thread, attributes, start, argument))
DH_REAL(int, pthread_join, (pthread_t thread, void **result), (thread, result))
DH_REAL(int, pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result))
DH_REAL(int, pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *until),
        (thread, result, until))
DH_REAL(int, pthread_clockjoin_np,
        (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
        (thread, result, clock, until))
DH_REAL(int, pthread_detach, (pthread_t thread), (thread))
DH_REAL(int, pthread_cancel, (pthread_t thread), (thread))
DH_REAL(int, pthread_setname_np, (pthread_t thread, const char *name), (thread, name))

/* One for each number that there can be: nothing to allocate, nobody to wait for. */
static struct dh_handover handovers[DH_THREADS_MAX + 1];
static uint64_t default_stack_size;

void dh_thread_hooks_prepare(void) {
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_attr_init(&attributes) == 0 && pthread_attr_getstacksize(&attributes, &size) == 0)
    default_stack_size = size;
}

uint64_t dh_default_stack_size(void) { return default_stack_size; }

uint32_t dh_announce_thread(void *start, void *argument, uint64_t stack_size, const void *caller) {
  if (dh_thread_here() == NULL)
    return 0;
  uint32_t turn = dh_turn(DH_OP_FORK, NULL, 0, caller);
  uint32_t number = dh_scheduled_thread_number(turn);
  if (number == 0)
    return 0;
  handovers[number] = (struct dh_handover){start, argument, stack_size};
  dh_sync(DH_OP_FORK, NULL, number, caller);
  dh_turn_done(turn, DH_OP_FORK, NULL, caller);
  return number;
}

/*
 * The stack was perhaps another thread's before. Where pthread_t points to lies at its upper end,
 * with about half a page of libc's own above it.
 */
struct dh_handover dh_begin_announced(uint32_t number) {
  struct dh_handover handover = handovers[number];
  char *stack = (char *)pthread_self() + 2048 - handover.stack_size;
  uint64_t seq = dh_coming_seq();
  if (handover.stack_size > 2048)
    dh_memory_fresh(stack, handover.stack_size);
  if (dh_thread_start(&dh_self, number) && handover.stack_size > 2048) {
    dh_enter(&dh_self);
    dh_log_memory(&dh_self, DH_OP_ALLOCATE, seq, stack, handover.stack_size, NULL);
    dh_leave(&dh_self);
  }
  dh_turn_done(dh_turn(DH_OP_BEGIN, NULL, 0, NULL), DH_OP_BEGIN, NULL, NULL);
  return handover;
}

void dh_remember_created(const pthread_t *thread, uint32_t number) {
  pthread_t created = 0;
  if (dh_peek(&created, thread, sizeof created) && created != 0)
    dh_remember_thread(created, number);
}

static void *begin(void *number) {
  struct dh_handover handover = dh_begin_announced((uint32_t)(uintptr_t)number);
  return ((start_routine)handover.start)(handover.argument);
}

DH_HOOK int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, start_routine start,
                           void *argument) {
  if (!dh_on)
    return real_pthread_create(thread, attributes, start, argument);
  size_t stack_size = default_stack_size;
  if (attributes != NULL)
    pthread_attr_getstacksize(attributes, &stack_size);
  uint32_t number = dh_announce_thread((void *)start, argument, stack_size, DH_CALLER);
  if (number == 0)
    return real_pthread_create(thread, attributes, start, argument);
  int result = real_pthread_create(thread, attributes, begin, (void *)(uintptr_t)number);
  if (result == 0)
    dh_remember_created(thread, number);
  return result;
}

/* Before it is joined: once it is, another thread may get the same pthread_t. */
struct join {
  uint32_t number;
  uint32_t turn;
};

static inline struct join about_to_join(pthread_t thread, unsigned how, const void *caller) {
  uint32_t number = dh_number_of_thread(thread);
  return (struct join){number, dh_turn(DH_OP_JOIN, (void *)(uintptr_t)number, how, caller)};
}

static inline int joined(int result, pthread_t thread, struct join join, const void *caller) {
  if (!dh_on || result != 0)
    return result;
  dh_sync(DH_OP_JOIN, (void *)thread, join.number, caller);
  dh_turn_done(join.turn, DH_OP_JOIN, (void *)(uintptr_t)join.number, caller);
  return result;
}

DH_HOOK int pthread_join(pthread_t thread, void **result) {
  struct join join = about_to_join(thread, DH_TURN_CANCELS, DH_CALLER);
  return joined(real_pthread_join(thread, result), thread, join, DH_CALLER);
}

DH_HOOK int pthread_tryjoin_np(pthread_t thread, void **result) {
  struct join join = about_to_join(thread, DH_LOCK_TRY, DH_CALLER);
  return joined(real_pthread_tryjoin_np(thread, result), thread, join, DH_CALLER);
}

DH_HOOK int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until) {
  struct join join = about_to_join(thread, DH_LOCK_TIMED | DH_TURN_CANCELS, DH_CALLER);
  return joined(real_pthread_timedjoin_np(thread, result, until), thread, join, DH_CALLER);
}

DH_HOOK int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                 const struct timespec *until) {
  struct join join = about_to_join(thread, DH_LOCK_TIMED | DH_TURN_CANCELS, DH_CALLER);
  return joined(real_pthread_clockjoin_np(thread, result, clock, until), thread, join, DH_CALLER);
}

DH_HOOK int pthread_detach(pthread_t thread) {
  uint32_t number = dh_number_of_thread(thread);
  int result = real_pthread_detach(thread);
  if (dh_on && result == 0)
    dh_sync(DH_OP_DETACH, (void *)thread, number, DH_CALLER);
  return result;
}

DH_HOOK int pthread_cancel(pthread_t thread) {
  if (dh_on)
    dh_sync(DH_OP_CANCEL, (void *)thread, dh_number_of_thread(thread), DH_CALLER);
  return real_pthread_cancel(thread);
}

DH_HOOK int pthread_setname_np(pthread_t thread, const char *name) {
  int result = real_pthread_setname_np(thread, name);
  uint32_t number = dh_on && result == 0 ? dh_number_of_thread(thread) : 0;
  if (number != 0)
    dh_say_thread_name(number, 0, name);
  return result;
}
