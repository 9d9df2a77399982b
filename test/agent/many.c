/* Hundreds of threads at a time, and again, and a sum under a lock that must come out right. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "named.h"

#define THREADS 500

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static long sum;

static void *work(void *argument) {
  pthread_barrier_wait(&together);
  for (int i = 0; i < 100; i++) {
    char *block = malloc(200);
    memset(block, i, 200);
    pthread_mutex_lock(&mutex);
    sum += block[i];
    pthread_mutex_unlock(&mutex);
    free(block);
  }
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (int round = 0; round < 2; round++) {
    pthread_barrier_init(&together, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
      MUST(pthread_create(&threads[i], &small, work, (void *)i) == 0);
    for (long i = 0; i < THREADS; i++) {
      void *result;
      MUST(pthread_join(threads[i], &result) == 0 && result == (void *)i);
    }
    pthread_barrier_destroy(&together);
  }
  printf("%ld\n", sum);
  return 3;
}
