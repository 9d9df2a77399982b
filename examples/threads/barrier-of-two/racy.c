/*
 * Four threads meet at a barrier that was made for two. The one that reads the part was lucky: the one that
 * wrote it was the other at the barrier.
 *
 * Race: part, lines 15 and 23.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static int part, seen;

static void *write_part(void *unused) {
  part = 3;
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *read_part(void *unused) {
  usleep(30000);
  pthread_barrier_wait(&barrier);
  seen = part;
  return unused;
}

static void *look_on(void *unused) {
  usleep(60000);
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&barrier, NULL, 2); /* should be 4 */
  pthread_create(&threads[0], NULL, write_part, NULL);
  pthread_create(&threads[1], NULL, read_part, NULL);
  pthread_create(&threads[2], NULL, look_on, NULL);
  pthread_create(&threads[3], NULL, look_on, NULL);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  printf("part %d\n", seen);
  return 0;
}
