/*
 * Two threads compute in phases, with a barrier between. One reads the other's border in the phase in which it
 * is written, not in the one after it.
 *
 * Race: border, lines 23 and 33.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int border = 1, seen, steps;

static void count(void) {
  pthread_mutex_lock(&counting);
  steps++;
  pthread_mutex_unlock(&counting);
}

static void *write_border(void *unused) {
  pthread_barrier_wait(&barrier);
  border = 5;
  count();
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *read_border(void *unused) {
  pthread_barrier_wait(&barrier);
  usleep(30000);
  count();
  seen = border; /* should be after the next barrier */
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&threads[0], NULL, write_border, NULL);
  pthread_create(&threads[1], NULL, read_border, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("border %d, %d steps\n", seen, steps);
  return 0;
}
