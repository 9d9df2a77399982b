/*
 * Takes locks of all kinds at random and lets them go, as its argument (a seed) says, and after each step has a
 * sample taken and prints what it holds itself: one line of addresses, with `s` behind those that are shared.
 * Up to 40 at once, more than the agent keeps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "../../include/deadheat.h"
#include "sample-now.h"

#define EACH 6
#define HELD_MAX 40
#define STEPS 300

static pthread_mutex_t mutexes[EACH], recursive[2];
static pthread_rwlock_t rwlocks[EACH];
static pthread_spinlock_t spins[EACH];
static mtx_t mtxs[EACH];
static char own[EACH]; /* every second one at an odd address */
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static struct held {
  void *lock;
  enum { MUTEX, RECURSIVE, RWLOCK, SPIN, MTX, OWN } kind;
  int shared;
} held[HELD_MAX];
static int count;

static int is_held(const void *lock) {
  for (int i = 0; i < count; i++)
    if (held[i].lock == lock)
      return 1;
  return 0;
}

static void must(int result) {
  if (result != 0) {
    printf("failed: %d\n", result);
    exit(1);
  }
}

static struct timespec soon(void) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += 100;
  return at;
}

static void hold(void *lock, int kind, int shared) {
  held[count++] = (struct held){lock, kind, shared};
}

static void take_mutex(int i) {
  pthread_mutex_t *mutex = &mutexes[i];
  struct timespec until = soon();
  if (is_held(mutex)) {
    if (pthread_mutex_trylock(mutex) != EBUSY)
      must(1);
    return;
  }
  switch (rand() % 4) {
  case 0: must(pthread_mutex_lock(mutex)); break;
  case 1: must(pthread_mutex_trylock(mutex)); break;
  case 2: must(pthread_mutex_timedlock(mutex, &until)); break;
  case 3: must(pthread_mutex_clocklock(mutex, CLOCK_REALTIME, &until)); break;
  }
  hold(mutex, MUTEX, 0);
}

static void take_rwlock(int i) {
  pthread_rwlock_t *lock = &rwlocks[i];
  struct timespec until = soon();
  int is_reading = 0;
  for (int j = 0; j < count; j++)
    if (held[j].lock == lock)
      is_reading = held[j].shared ? 1 : 2;
  if (is_reading == 2 || (is_reading == 1 && rand() % 2)) {
    if (pthread_rwlock_trywrlock(lock) != EBUSY)
      must(1);
    return;
  }
  int shared = is_reading || rand() % 2;
  switch (rand() % 4) {
  case 0: must(shared ? pthread_rwlock_rdlock(lock) : pthread_rwlock_wrlock(lock)); break;
  case 1: must(shared ? pthread_rwlock_tryrdlock(lock) : pthread_rwlock_trywrlock(lock)); break;
  case 2: must(shared ? pthread_rwlock_timedrdlock(lock, &until)
                      : pthread_rwlock_timedwrlock(lock, &until)); break;
  case 3: must(shared ? pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, &until)
                      : pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, &until)); break;
  }
  hold(lock, RWLOCK, shared);
}

static void take(void) {
  int i = rand() % EACH, try = rand() % 2;
  struct timespec until = soon();
  switch (rand() % 6) {
  case 0: take_mutex(i); return;
  case 1: must(pthread_mutex_lock(&recursive[i % 2])); hold(&recursive[i % 2], RECURSIVE, 0); return;
  case 2: take_rwlock(i); return;
  case 3:
    if (is_held((void *)&spins[i]))
      return;
    must(try ? pthread_spin_trylock(&spins[i]) : pthread_spin_lock(&spins[i]));
    hold((void *)&spins[i], SPIN, 0);
    return;
  case 4:
    if (is_held(&mtxs[i]))
      return;
    must(try ? mtx_trylock(&mtxs[i]) : i % 2 ? mtx_timedlock(&mtxs[i], &until) : mtx_lock(&mtxs[i]));
    hold(&mtxs[i], MTX, 0);
    return;
  case 5:
    if (is_held(&own[i]))
      return;
    if (try)
      deadheat_lock_shared(&own[i]);
    else
      deadheat_lock(&own[i]);
    hold(&own[i], OWN, try);
    return;
  }
}

static void let_go(int i) {
  struct held it = held[i];
  for (int j = i + 1; j < count; j++)
    held[j - 1] = held[j];
  count--;
  switch (it.kind) {
  case MUTEX: case RECURSIVE: must(pthread_mutex_unlock(it.lock)); return;
  case RWLOCK: must(pthread_rwlock_unlock(it.lock)); return;
  case SPIN: must(pthread_spin_unlock(it.lock)); return;
  case MTX: must(mtx_unlock(it.lock)); return;
  case OWN:
    if (it.shared)
      deadheat_unlock_shared(it.lock);
    else
      deadheat_unlock(it.lock);
    return;
  }
}

/* The mutex is let go meanwhile, and held again afterwards. */
static void wait_with(int i) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (held[i].kind == MUTEX && pthread_cond_timedwait(&condition, held[i].lock, &now) != ETIMEDOUT)
    must(1);
}

static void show(void) {
  sample_now();
  for (int i = 0; i < count; i++)
    printf("%lx%s ", (unsigned long)(size_t)held[i].lock, held[i].shared ? "s" : "");
  printf(".\n");
}

int main(int argc, char **argv) {
  pthread_mutexattr_t attributes;
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < 2; i++)
    pthread_mutex_init(&recursive[i], &attributes);
  for (int i = 0; i < EACH; i++) {
    pthread_mutex_init(&mutexes[i], NULL);
    pthread_rwlock_init(&rwlocks[i], NULL);
    pthread_spin_init(&spins[i], 0);
    mtx_init(&mtxs[i], mtx_timed);
  }
  int most = 3;
  for (int step = 0; step < STEPS; step++) {
    if (step == STEPS / 2)
      most = HELD_MAX;
    int action = rand() % 10;
    if (count == most || (count > 0 && action < 4))
      let_go(rand() % 2 ? count - 1 : rand() % count);
    else if (count > 0 && action == 4)
      wait_with(rand() % count);
    else
      take();
    show();
  }
  while (count > 0) {
    let_go(rand() % count);
    show();
  }
  return 0;
}
