/*
 * The writer sets an atomic flag once the data are there. The reader does look at the flag, but only after it
 * has taken the data. A lock that both use for counting comes between.
 *
 * Race: data, lines 23 and 32.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int data, taken, steps;

static void count(void) {
  pthread_mutex_lock(&counting);
  steps++;
  pthread_mutex_unlock(&counting);
}

static void *publish(void *unused) {
  data = 7;
  atomic_store(&ready, 1);
  count();
  return unused;
}

static void *take(void *unused) {
  usleep(30000);
  count();
  int mine = data;
  if (atomic_load(&ready))
    taken = mine;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, publish, NULL);
  pthread_create(&threads[1], NULL, take, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("taken %d, %d steps\n", taken, steps);
  return 0;
}
