/*
 * The counter is protected by one lock while the first two threads run, and by another afterwards. No lock is
 * held at all its accesses, but the joins come between.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t late = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *lock) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(lock);
    counter++;
    pthread_mutex_unlock(lock);
    usleep(2000);
  }
  return NULL;
}

static void count_twice(pthread_mutex_t *lock) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, count, lock);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

int main(void) {
  count_twice(&early);
  count_twice(&late);
  printf("counter %d\n", counter);
  return 0;
}
