/*
 * The consumer waits until something was produced, then uses what the right producer has made. It was the
 * right one that signalled first; had it been the left one, the consumer would read while `right` is written.
 *
 * Race: right, lines 24 and 41.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int produced, left, right, consumed;

static void announce(void) {
  pthread_mutex_lock(&lock);
  produced++;
  pthread_cond_signal(&some);
  pthread_mutex_unlock(&lock);
}

static void *produce_right(void *unused) {
  usleep(30000);
  right = 7;
  announce();
  return unused;
}

static void *produce_left(void *unused) {
  usleep(90000);
  left = 5;
  announce();
  return unused;
}

static void *consume(void *unused) {
  pthread_mutex_lock(&lock);
  while (produced == 0) /* should be < 2 */
    pthread_cond_wait(&some, &lock);
  pthread_mutex_unlock(&lock);
  consumed = right;
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, consume, NULL);
  pthread_create(&threads[1], NULL, produce_right, NULL);
  pthread_create(&threads[2], NULL, produce_left, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  printf("consumed %d, then left %d\n", consumed, left);
  return 0;
}
