/*
 * A semaphore that begins with 2 limits how many are inside, and the threads meet there first. The total is
 * added up under it as well, as if it let in one; when they do, one is gone before the other comes.
 *
 * Race: total, line 22 with itself.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t places;
static pthread_barrier_t inside;
static int total;

static void *add(void *delay) {
  sem_wait(&places);
  pthread_barrier_wait(&inside);
  sem_post(&places);
  usleep(*(int *)delay);
  sem_wait(&places);
  total += 10;
  sem_post(&places);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int delays[2] = {0, 30000};
  sem_init(&places, 0, 2);
  pthread_barrier_init(&inside, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, add, &delays[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("total %d\n", total);
  return 0;
}
