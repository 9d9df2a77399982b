/* Locks often enough to fill a small disk, and goes on undisturbed. */
#include <pthread.h>
#include <signal.h>

#include "named.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *work(void *unused) {
  for (int i = 0; i < 100000; i++) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  signal(SIGXFSZ, SIG_DFL);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    MUST(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 4; i++)
    MUST(pthread_join(threads[i], NULL) == 0);
  printf("%ld\n", count);
  return 5;
}
