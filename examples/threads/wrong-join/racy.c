/*
 * Main joins the thread that sums up, and takes the other's result for complete. That it is follows from the
 * order in which the two took the lock, and from nothing else.
 *
 * Race: result, lines 15 and 35.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result, latest;

static void *compute(void *unused) {
  result = 42;
  pthread_mutex_lock(&lock);
  latest = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *sum_up(void *unused) {
  usleep(30000);
  pthread_mutex_lock(&lock);
  latest = 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t computing, summing;
  pthread_create(&computing, NULL, compute, NULL);
  pthread_create(&summing, NULL, sum_up, NULL);
  pthread_join(summing, NULL);
  int seen = result;
  pthread_join(computing, NULL);
  printf("result %d, latest %d\n", seen, latest);
  return 0;
}
