/* Threads, however they are made: each learns its number from the one that makes it, which logs FORK. */
#define _GNU_SOURCE
#include "thread-hooks.h"

#include <pthread.h>
#include <threads.h>

#include "../process.h"
#include "../real.h"
#include "../syscalls.h"
#include "../thread-numbers.h"
#include "images.h"
#include "log.h"
#include "sync.h"

typedef void *(*start_routine)(void *);
typedef pthread_t thread_id;
typedef const struct timespec *deadline;

DH_REAL(int, pthread_create,
        (thread_id * thread, const pthread_attr_t *attributes, start_routine start, void *argument),
        (thread, attributes, start, argument))
DH_REAL(int, thrd_create, (thrd_t * thread, thrd_start_t start, void *argument),
        (thread, start, argument))

/* By the number of the thread to be: nothing to allocate, nobody to wait for. */
static struct handover {
  void *start;
  void *argument;
  uint64_t stack_size;
} handovers[DH_THREADS_MAX + 1];
static size_t default_stack_size;

/* Where pthread_t points to lies at a stack's upper end, with about half a page of libc's own above it. */
#define ABOVE_PTHREAD 2048

void dh_thread_hooks_prepare(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0)
    pthread_attr_getstacksize(&attributes, &default_stack_size);
}

static uint32_t announce(void *start, void *argument, size_t stack_size) {
  uint32_t number = dh_control == NULL ? 0 : dh_thread_number();
  if (number == 0)
    return 0;
  dh_images_look();
  handovers[number] = (struct handover){start, argument, stack_size};
  dh_sync(DH_OP_FORK, NULL, number);
  return number;
}

static struct handover begin(uint32_t number) {
  struct handover handover = handovers[number];
  uintptr_t end = (uintptr_t)pthread_self() + ABOVE_PTHREAD;
  dh_log_beginning(&dh_thread, DH_OP_BEGIN, (void *)pthread_self(), 1);
  dh_thread_begin(number, end - handover.stack_size, end);
  return handover;
}

/* The new thread may have freed what `thread` points to. */
static void remember(const thread_id *thread, uint32_t number) {
  thread_id created = 0;
  if (dh_peek(&created, thread, sizeof created) && created != 0)
    dh_remember_thread(created, number);
}

static void *begin_pthread(void *number) {
  struct handover handover = begin((uint32_t)(uintptr_t)number);
  return ((start_routine)handover.start)(handover.argument);
}

static int begin_thrd(void *number) {
  struct handover handover = begin((uint32_t)(uintptr_t)number);
  return ((thrd_start_t)handover.start)(handover.argument);
}

DH_HOOK int pthread_create(thread_id *thread, const pthread_attr_t *attributes, start_routine start,
                           void *argument) {
  size_t stack_size = default_stack_size;
  if (attributes != NULL)
    pthread_attr_getstacksize(attributes, &stack_size);
  uint32_t number = announce((void *)start, argument, stack_size);
  if (number == 0)
    return real_pthread_create(thread, attributes, start, argument);
  int result = real_pthread_create(thread, attributes, begin_pthread, (void *)(uintptr_t)number);
  if (result == 0)
    remember(thread, number);
  return result;
}

DH_HOOK int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
  uint32_t number = announce((void *)start, argument, default_stack_size);
  if (number == 0)
    return real_thrd_create(thread, start, argument);
  int result = real_thrd_create(thread, begin_thrd, (void *)(uintptr_t)number);
  if (result == thrd_success)
    remember(thread, number);
  return result;
}

/* The number is asked for before it is joined: once it is, another thread may get the same pthread_t. */
#define JOINS(name, parameters, arguments)                                                         \
  DH_REAL(int, name, parameters, arguments)                                                        \
  DH_HOOK int name parameters {                                                                    \
    uint32_t number = dh_number_of_thread(thread);                                                 \
    int result = real_##name arguments;                                                            \
    if (result == 0)                                                                               \
      dh_sync(DH_OP_JOIN, (void *)thread, number);                                                 \
    return result;                                                                                 \
  }

JOINS(pthread_join, (thread_id thread, void **value), (thread, value))
JOINS(pthread_tryjoin_np, (thread_id thread, void **value), (thread, value))
JOINS(pthread_timedjoin_np, (thread_id thread, void **value, deadline until), (thread, value, until))
JOINS(pthread_clockjoin_np, (thread_id thread, void **value, clockid_t clock, deadline until),
      (thread, value, clock, until))
JOINS(thrd_join, (thrd_t thread, int *value), (thread, value))

DH_REAL(int, pthread_setname_np, (thread_id thread, const char *name), (thread, name))
DH_HOOK int pthread_setname_np(thread_id thread, const char *name) {
  int result = real_pthread_setname_np(thread, name);
  uint32_t number = dh_control != NULL && result == 0 ? dh_number_of_thread(thread) : 0;
  if (number != 0)
    dh_say_thread_name(number, 0, name);
  return result;
}
