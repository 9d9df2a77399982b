/*
 * What calls cost that the sampling agent has hooks for: prints a name and nanoseconds for each, the least of many
 * short turns, so that whatever else the machine does is left out.
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "report.h"

#define TURNS 300
#define CALLS 20000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void *blocks[1000];

static void lock_and_unlock(void) {
  for (int i = 0; i < CALLS; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void read_and_unlock(void) {
  for (int i = 0; i < CALLS; i++) {
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
  }
}

/* Freed at once. */
static void allocate_and_free(void) {
  for (int i = 0; i < CALLS; i++) {
    void *volatile block = malloc(40);
    free(block);
  }
}

/* Freed when a thousand others have been allocated. */
static void allocate_and_keep(void) {
  for (int i = 0; i < CALLS; i++) {
    free(blocks[i % 1000]);
    blocks[i % 1000] = malloc(40);
  }
}

static void signal_nobody(void) {
  for (int i = 0; i < CALLS; i++)
    pthread_cond_signal(&condition);
}

static void measure(const char *name, void (*work)(void)) {
  long long least = 1ll << 60;
  for (int turn = 0; turn < TURNS; turn++) {
    long long since = nanoseconds();
    work();
    long long taken = nanoseconds() - since;
    if (taken < least)
      least = taken;
  }
  printf("%s %.2f\n", name, (double)least / CALLS);
}

static void *nothing(void *argument) { return argument; }

int main(void) {
  pthread_t thread; /* libc takes shorter ways as long as there is only one */
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  measure("lock-unlock", lock_and_unlock);
  measure("rdlock-unlock", read_and_unlock);
  measure("malloc-free", allocate_and_free);
  measure("malloc-keep-free", allocate_and_keep);
  measure("cond-signal", signal_nobody);
  return 0;
}
