/* Threads that end in every way, and are waited for in every way. One runs at a time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "named.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static sem_t begun, done;

static void *returns(void *argument) { return argument; }
static void *exits(void *argument) { pthread_exit(argument); }

static void unlock(void *locked) { pthread_mutex_unlock(locked); }

static void *is_cancelled(void *unused) {
  pthread_mutex_lock(&held);
  pthread_cleanup_push(unlock, &held);
  sem_post(&begun);
  for (;;)
    pthread_cond_wait(&condition, &held);
  pthread_cleanup_pop(1);
  return unused;
}

/* Destructors of the program's own: what they do belongs to the thread, too. */
static void destroy(void *value) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  if (value != NULL && *(int *)value > 0)
    --*(int *)value, pthread_setspecific(key, value);
}
static void *has_destructors(void *unused) {
  static int rounds = 2;
  pthread_setspecific(key, &rounds);
  return unused;
}

static void *detached(void *unused) {
  MUST(pthread_setname_np(pthread_self(), "loose one") == 0);
  sem_post(&done);
  return unused;
}

static void *cancelled_at_once(void *unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  sem_post(&begun);
  for (;;)
    ;
  return unused;
}

int main(void) {
  NAMED(mutex), NAMED(held), NAMED(condition), NAMED(begun), NAMED(done);
  sem_init(&begun, 0, 0), sem_init(&done, 0, 0);
  pthread_key_create(&key, destroy);
  struct timespec later;
  clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 1000;
  pthread_t thread;
  void *result;

  MUST(pthread_create(&thread, NULL, returns, &mutex) == 0);
  MUST(pthread_join(thread, &result) == 0 && result == &mutex);
  MUST(pthread_create(&thread, NULL, exits, &held) == 0);
  MUST(pthread_timedjoin_np(thread, &result, &later) == 0 && result == &held);
  MUST(pthread_create(&thread, NULL, is_cancelled, NULL) == 0);
  sem_wait(&begun);
  MUST(pthread_cancel(thread) == 0);
  MUST(pthread_clockjoin_np(thread, &result, CLOCK_REALTIME, &later) == 0);
  MUST(result == PTHREAD_CANCELED);
  MUST(pthread_create(&thread, NULL, has_destructors, NULL) == 0);
  while (pthread_tryjoin_np(thread, NULL) != 0)
    ;
  MUST(pthread_create(&thread, NULL, cancelled_at_once, NULL) == 0);
  sem_wait(&begun);
  MUST(pthread_cancel(thread) == 0);
  MUST(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  MUST(pthread_create(&thread, NULL, detached, NULL) == 0);
  MUST(pthread_detach(thread) == 0);
  sem_wait(&done);
  /* Nobody can wait for it to be gone: that is in its log only if it was quick. */
  return 0;
}
