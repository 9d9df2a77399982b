/*
 * Double-checked locking: whoever finds the instance missing takes the lock and looks again, but the first
 * look is made without it. A counter of calls with a lock of its own comes between the two callers.
 *
 * Race: instance, lines 22 and 26.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int instance, steps;

static void count(void) {
  pthread_mutex_lock(&counting);
  steps++;
  pthread_mutex_unlock(&counting);
}

static int get(void) {
  int found = instance;
  if (found == 0) {
    pthread_mutex_lock(&making);
    if (instance == 0)
      instance = 7;
    found = instance;
    pthread_mutex_unlock(&making);
  }
  return found;
}

static void *call(void *delay) {
  usleep(*(int *)delay);
  count();
  *(int *)delay = get();
  count();
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int delays[2] = {0, 30000};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, call, &delays[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d and %d, %d steps\n", delays[0], delays[1], steps);
  return 0;
}
