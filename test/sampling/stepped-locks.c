/*
 * Takes a lock of the kind that its argument names and lets it go, between two int3 for the one that steps through
 * it (step-through.c): the first has the lock's address in rax, and in rbx the bytes that say whether it is held.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "stepped-locks.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mtx;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static struct timespec passed, later;
static volatile int shared;

#define STEP_THROUGH(lock, how, take, let_go)                                                      \
  do {                                                                                             \
    __asm__ volatile("int3" ::"a"(lock), "b"((long)(how)) : "memory");                             \
    for (int round = 0; round < 2; round++) {                                                      \
      shared++;                                                                                    \
      take;                                                                                        \
      shared += 2;                                                                                 \
      let_go;                                                                                      \
      shared++;                                                                                    \
    }                                                                                              \
    __asm__ volatile("int3");                                                                      \
    return 0;                                                                                      \
  } while (0)

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  pthread_spin_init(&spin, 0);
  mtx_init(&mtx, mtx_plain);
  clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 1000;
  if (strcmp(kind, "mutex") == 0)
    STEP_THROUGH(&mutex, HELD_IF_NOT_ZERO, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex));
  if (strcmp(kind, "try") == 0)
    STEP_THROUGH(&mutex, HELD_IF_NOT_ZERO, (pthread_mutex_trylock(&mutex), pthread_mutex_trylock(&mutex)),
                 pthread_mutex_unlock(&mutex));
  if (strcmp(kind, "timed") == 0)
    STEP_THROUGH(&mutex, HELD_IF_NOT_ZERO, pthread_mutex_timedlock(&mutex, &later),
                 pthread_mutex_unlock(&mutex));
  if (strcmp(kind, "recursive") == 0)
    STEP_THROUGH(&recursive, HELD_IF_NOT_ZERO,
                 (pthread_mutex_lock(&recursive), pthread_mutex_lock(&recursive)),
                 (pthread_mutex_unlock(&recursive), shared++, pthread_mutex_unlock(&recursive)));
  if (strcmp(kind, "read") == 0)
    STEP_THROUGH(&rwlock, HELD_AS_RWLOCK, pthread_rwlock_rdlock(&rwlock),
                 pthread_rwlock_unlock(&rwlock));
  if (strcmp(kind, "write") == 0)
    STEP_THROUGH(&rwlock, HELD_AS_RWLOCK, pthread_rwlock_wrlock(&rwlock),
                 pthread_rwlock_unlock(&rwlock));
  if (strcmp(kind, "spin") == 0)
    STEP_THROUGH(&spin, HELD_IF_CHANGED, pthread_spin_lock(&spin), pthread_spin_unlock(&spin));
  if (strcmp(kind, "mtx") == 0)
    STEP_THROUGH(&mtx, HELD_IF_NOT_ZERO, mtx_lock(&mtx), mtx_unlock(&mtx));
  if (strcmp(kind, "wait") == 0)
    STEP_THROUGH(&mutex, HELD_IF_NOT_ZERO,
                 (pthread_mutex_lock(&mutex), pthread_cond_timedwait(&condition, &mutex, &passed)),
                 pthread_mutex_unlock(&mutex));
  return 1;
}
