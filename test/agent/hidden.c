/* Two writes to y that race, though the lock puts them in order whenever the first thread is faster. */
#define _GNU_SOURCE
#include <pthread.h>

#include "named.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *first(void *unused) {
  y = 1;
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  return unused;
}

static void *second(void *unused) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  y = 2;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  MUST(pthread_create(&threads[0], NULL, first, NULL) == 0);
  MUST(pthread_create(&threads[1], NULL, second, NULL) == 0);
  for (int i = 0; i < 2; i++)
    MUST(pthread_join(threads[i], NULL) == 0);
  return x == 2 ? 4 : 1;
}
