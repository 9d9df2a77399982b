/*
 * The data are read without a lock, but only if `ready` was seen to be set, which the writer does after it has
 * written them. If the critical sections change places, the reader goes another way.
 *
 * No race, though it may be predicted: data, lines 18 and 31: ready would not have been seen yet; --sound rules
 * it out.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static int data, seen;

static void *publish(void *unused) {
  data = 7;
  pthread_mutex_lock(&lock);
  ready = true;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *take(void *unused) {
  usleep(30000);
  pthread_mutex_lock(&lock);
  bool is_ready = ready;
  pthread_mutex_unlock(&lock);
  if (is_ready)
    seen = data;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, publish, NULL);
  pthread_create(&threads[1], NULL, take, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("seen %d\n", seen);
  return 0;
}
