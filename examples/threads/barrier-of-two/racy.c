/*
 * Four threads meet at a barrier that was made for two, so who reads the part need not wait for the one that
 * writes it. A counter with a lock comes between the two, as long as the writer is first.
 *
 * Race: part, lines 22 and 33.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int part, seen, steps;

static void count(void) {
  pthread_mutex_lock(&counting);
  steps++;
  pthread_mutex_unlock(&counting);
}

static void *write_part(void *unused) {
  part = 3;
  count();
  usleep(60000);
  pthread_barrier_wait(&barrier);
  return unused;
}

static void *read_part(void *unused) {
  usleep(30000);
  count();
  pthread_barrier_wait(&barrier);
  seen = part;
  return unused;
}

static void *look_on(void *delay) {
  usleep(*(int *)delay);
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  int delays[2] = {0, 60000};
  pthread_barrier_init(&barrier, NULL, 2); /* should be 4 */
  pthread_create(&threads[0], NULL, write_part, NULL);
  pthread_create(&threads[1], NULL, read_part, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[2 + i], NULL, look_on, &delays[i]);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  printf("part %d, %d steps\n", seen, steps);
  return 0;
}
