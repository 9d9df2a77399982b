/*
 * The lock is taken again by those who have it. The second thread believes that it still has it when it sets
 * the size, but it let go of it as often as it took it.
 *
 * Race: size, lines 24 and 34.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int size, changes;

static void change(void) {
  pthread_mutex_lock(&lock);
  changes++;
  pthread_mutex_unlock(&lock);
}

static void *grow(void *unused) {
  pthread_mutex_lock(&lock);
  change();
  size = 8; /* still in it: the inner unlock was not the last one */
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *shrink(void *unused) {
  usleep(30000);
  pthread_mutex_lock(&lock);
  change();
  pthread_mutex_unlock(&lock);
  size = 4;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, grow, NULL);
  pthread_create(&threads[1], NULL, shrink, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("size %d, %d changes\n", size, changes);
  return 0;
}
