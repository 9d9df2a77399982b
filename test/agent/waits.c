/* Conditions, semaphores, barriers, once: by one thread, or where only one order is possible. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "named.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int ready;

static void run_inner(void) {}
static void run_once(void) { MUST(pthread_once(&inner, run_inner) == 0); }

static void *other(void *unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  int result = pthread_barrier_wait(&barrier);
  MUST(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  MUST(pthread_once(&once, run_once) == 0);
  MUST(sem_post(&semaphore) == 0);
  return unused;
}

int main(void) {
  NAMED(mutex), NAMED(condition), NAMED(semaphore), NAMED(barrier), NAMED(once), NAMED(inner);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  MUST(pthread_cond_init(&condition, NULL) == 0 && sem_init(&semaphore, 0, 3) == 0);
  MUST(pthread_barrier_init(&barrier, NULL, 2) == 0);
  MUST(pthread_once(&once, run_once) == 0 && pthread_once(&once, run_once) == 0);
  errno = 79;
  MUST(sem_wait(&semaphore) == 0 && sem_trywait(&semaphore) == 0);
  MUST(sem_timedwait(&semaphore, &now) == 0);
  MUST(errno == 79);
  MUST(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  MUST(sem_timedwait(&semaphore, &now) == -1 && errno == ETIMEDOUT);
  MUST(sem_clockwait(&semaphore, CLOCK_REALTIME, &now) == -1 && errno == ETIMEDOUT);
  MUST(sem_post(&semaphore) == 0 && sem_clockwait(&semaphore, CLOCK_REALTIME, &now) == 0);
  pthread_mutex_lock(&mutex);
  MUST(pthread_cond_timedwait(&condition, &mutex, &now) == ETIMEDOUT);
  MUST(pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &now) == ETIMEDOUT);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, other, NULL) == 0);
  while (!ready)
    MUST(pthread_cond_wait(&condition, &mutex) == 0);
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&condition);
  pthread_barrier_wait(&barrier);
  MUST(sem_wait(&semaphore) == 0);
  MUST(pthread_join(thread, NULL) == 0);
  MUST(pthread_cond_destroy(&condition) == 0 && sem_destroy(&semaphore) == 0);
  MUST(pthread_barrier_destroy(&barrier) == 0);
  return 0;
}
