/*
 * The order is written without the lock, before the condition is signalled, and read without it after the wait.
 * The only signal there is comes after the write.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t placed = PTHREAD_COND_INITIALIZER;
static int order, orders, served;

static void *serve(void *unused) {
  pthread_mutex_lock(&lock);
  while (orders == 0)
    pthread_cond_wait(&placed, &lock);
  pthread_mutex_unlock(&lock);
  served = order;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, serve, NULL);
  usleep(30000);
  order = 12;
  pthread_mutex_lock(&lock);
  orders++;
  pthread_cond_signal(&placed);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  printf("served %d\n", served);
  return 0;
}
