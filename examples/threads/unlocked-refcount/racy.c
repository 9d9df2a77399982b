/*
 * Two threads share an object that the last one marks as gone. One of them drops its reference after it has
 * let go of the lock. If both go down from 2 at once, nobody gets to 0.
 *
 * Race: references, lines 17 and 28.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int references = 2, uses, gone;

static void *drop_locked(void *unused) {
  pthread_mutex_lock(&lock);
  uses++;
  if (--references == 0)
    gone = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *drop(void *unused) {
  usleep(30000);
  pthread_mutex_lock(&lock);
  uses++;
  pthread_mutex_unlock(&lock);
  if (--references == 0)
    gone = 1;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, drop_locked, NULL);
  pthread_create(&threads[1], NULL, drop, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("gone %d after %d uses\n", gone, uses);
  return 0;
}
