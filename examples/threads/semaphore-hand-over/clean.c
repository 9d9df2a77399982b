/*
 * A slot for one number: the producer waits until it is empty, the consumer until it is full. Nobody holds a
 * lock.
 *
 * No race.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t empty, full;
static int slot, sum;

static void *produce(void *unused) {
  for (int i = 1; i <= 4; i++) {
    sem_wait(&empty);
    slot = i;
    sem_post(&full);
  }
  return unused;
}

static void *consume(void *unused) {
  for (int i = 1; i <= 4; i++) {
    sem_wait(&full);
    sum += slot;
    sem_post(&empty);
    usleep(2000);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&empty, 0, 1);
  sem_init(&full, 0, 0);
  pthread_create(&threads[0], NULL, produce, NULL);
  pthread_create(&threads[1], NULL, consume, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("sum %d\n", sum);
  return 0;
}
