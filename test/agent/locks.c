/* Mutexes of all types, rwlocks, spinlocks: taken in every way, and refused in every way. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "named.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive, checked, robust, held, adaptive;
static pthread_rwlock_t rwlock, heldrw;
static pthread_spinlock_t spin, heldspin;

static void make(pthread_mutex_t *mutex, int type, int robustness) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  MUST(pthread_mutex_init(mutex, &attributes) == 0);
}

static void *die_holding(void *unused) {
  MUST(pthread_mutex_lock(&robust) == 0);
  return unused;
}

static void *be_refused(void *unused) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  errno = 77;
  MUST(pthread_mutex_trylock(&held) == EBUSY);
  MUST(pthread_mutex_timedlock(&held, &now) == ETIMEDOUT);
  MUST(pthread_mutex_clocklock(&held, CLOCK_REALTIME, &now) == ETIMEDOUT);
  MUST(pthread_mutex_unlock(&checked) == EPERM);
  MUST(pthread_rwlock_tryrdlock(&heldrw) == EBUSY);
  MUST(pthread_rwlock_trywrlock(&heldrw) == EBUSY);
  MUST(pthread_rwlock_timedrdlock(&heldrw, &now) == ETIMEDOUT);
  MUST(pthread_rwlock_timedwrlock(&heldrw, &now) == ETIMEDOUT);
  MUST(pthread_rwlock_clockrdlock(&heldrw, CLOCK_REALTIME, &now) == ETIMEDOUT);
  MUST(pthread_rwlock_clockwrlock(&heldrw, CLOCK_REALTIME, &now) == ETIMEDOUT);
  MUST(pthread_spin_trylock(&heldspin) == EBUSY);
  MUST(errno == 77);
  return unused;
}

int main(void) {
  NAMED(normal), NAMED(recursive), NAMED(checked), NAMED(robust), NAMED(held), NAMED(adaptive);
  NAMED(rwlock), NAMED(heldrw), NAMED(spin), NAMED(heldspin);
  struct timespec later;
  clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 1000;
  make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  make(&checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED);
  errno = 78;

  MUST(pthread_mutex_lock(&normal) == 0 && pthread_mutex_unlock(&normal) == 0);
  MUST(pthread_mutex_trylock(&normal) == 0 && pthread_mutex_unlock(&normal) == 0);
  MUST(pthread_mutex_timedlock(&normal, &later) == 0 && pthread_mutex_unlock(&normal) == 0);
  MUST(pthread_mutex_clocklock(&normal, CLOCK_REALTIME, &later) == 0);
  MUST(pthread_mutex_unlock(&normal) == 0);
  MUST(pthread_mutex_lock(&adaptive) == 0 && pthread_mutex_unlock(&adaptive) == 0);
  MUST(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
  MUST(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
  MUST(pthread_mutex_unlock(&recursive) == EPERM);
  MUST(pthread_mutex_lock(&checked) == 0);
  MUST(pthread_mutex_lock(&checked) == EDEADLK);

  pthread_t thread;
  MUST(pthread_create(&thread, NULL, die_holding, NULL) == 0 && pthread_join(thread, NULL) == 0);
  MUST(pthread_mutex_lock(&robust) == EOWNERDEAD);
  MUST(pthread_mutex_consistent(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);

  MUST(pthread_rwlock_init(&rwlock, NULL) == 0 && pthread_rwlock_init(&heldrw, NULL) == 0);
  MUST(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_tryrdlock(&rwlock) == 0);
  MUST(pthread_rwlock_timedrdlock(&rwlock, &later) == 0);
  MUST(pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &later) == 0);
  for (int i = 0; i < 4; i++)
    MUST(pthread_rwlock_unlock(&rwlock) == 0);
  MUST(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  MUST(pthread_rwlock_trywrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  MUST(pthread_rwlock_timedwrlock(&rwlock, &later) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  MUST(pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &later) == 0);
  MUST(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_destroy(&rwlock) == 0);

  MUST(pthread_spin_init(&spin, 0) == 0 && pthread_spin_init(&heldspin, 0) == 0);
  MUST(pthread_spin_lock(&spin) == 0 && pthread_spin_unlock(&spin) == 0);
  MUST(pthread_spin_trylock(&spin) == 0 && pthread_spin_unlock(&spin) == 0);
  MUST(pthread_spin_destroy(&spin) == 0);

  MUST(pthread_mutex_lock(&held) == 0 && pthread_rwlock_wrlock(&heldrw) == 0);
  MUST(pthread_spin_lock(&heldspin) == 0);
  MUST(errno == 78);
  MUST(pthread_create(&thread, NULL, be_refused, NULL) == 0 && pthread_join(thread, NULL) == 0);
  MUST(pthread_mutex_destroy(&recursive) == 0);
  return 7;
}
