/*
 * Each thread takes the lock once; the second writes only after it has let go. The race needs the critical
 * sections the other way round: the second thread's first, then the first one's, which is still in it.
 *
 * Race: owner, lines 17 and 27.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owner, changes;

static void *careful(void *unused) {
  pthread_mutex_lock(&lock);
  changes++;
  owner = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *careless(void *unused) {
  usleep(30000);
  pthread_mutex_lock(&lock);
  changes++;
  pthread_mutex_unlock(&lock);
  owner = 2;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, careful, NULL);
  pthread_create(&threads[1], NULL, careless, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("owner %d, %d changes\n", owner, changes);
  return 0;
}
