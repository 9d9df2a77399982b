/*
 * The writer sets a flag with release order once the data are there; the reader waits for it with acquire
 * order. On x86 both are plain instructions.
 *
 * No race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int ready;
static int data, seen;

static void *publish(void *unused) {
  usleep(20000);
  data = 7;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

static void *take(void *unused) {
  while (!atomic_load_explicit(&ready, memory_order_acquire))
    usleep(2000);
  seen = data;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, publish, NULL);
  pthread_create(&threads[1], NULL, take, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("seen %d\n", seen);
  return 0;
}
