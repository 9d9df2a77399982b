/*
 * The same with both users asking for the initialisation, whoever comes first.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int setting, seen[2], uses;

static void initialise(void) {
  setting = 7;
}

static void count(void) {
  pthread_mutex_lock(&counting);
  uses++;
  pthread_mutex_unlock(&counting);
}

static void *use_first(void *unused) {
  pthread_once(&once, initialise);
  seen[0] = setting;
  count();
  return unused;
}

static void *use_later(void *unused) {
  usleep(30000);
  pthread_once(&once, initialise);
  count();
  seen[1] = setting;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, use_first, NULL);
  pthread_create(&threads[1], NULL, use_later, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d and %d, %d uses\n", seen[0], seen[1], uses);
  return 0;
}
