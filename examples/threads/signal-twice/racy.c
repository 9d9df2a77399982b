/*
 * Two workers wait for a start, and each notes itself as the last one once it has left the lock. They are
 * signalled so far apart that the first is done when the second wakes.
 *
 * Race: last, line 21 with itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start = PTHREAD_COND_INITIALIZER;
static int tickets, done, last;

static void *work(void *number) {
  pthread_mutex_lock(&lock);
  while (tickets == 0)
    pthread_cond_wait(&start, &lock);
  tickets--;
  pthread_mutex_unlock(&lock);
  last = *(int *)number;
  pthread_mutex_lock(&lock);
  done++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void wake_one(void) {
  pthread_mutex_lock(&lock);
  tickets++;
  pthread_cond_signal(&start);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {1, 2};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, &numbers[i]);
  usleep(30000);
  wake_one();
  usleep(30000);
  wake_one();
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d done, %s was the last\n", done, last > 0 ? "one" : "none");
  return 0;
}
