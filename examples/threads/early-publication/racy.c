/*
 * The settings are made known to others, under the lock, before their speed is set. The reader takes them
 * under the lock as well; what it reads there was set in time only by luck.
 *
 * Race: speed, lines 31 and 43.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct settings {
  int version;
  int speed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static struct settings own, *current;
static int seen, uses;

static void count(void) {
  pthread_mutex_lock(&counting);
  uses++;
  pthread_mutex_unlock(&counting);
}

static void *publish(void *unused) {
  pthread_mutex_lock(&lock);
  current = &own;
  pthread_mutex_unlock(&lock);
  own.speed = 9;
  count();
  return unused;
}

static void *use(void *unused) {
  usleep(30000);
  count();
  pthread_mutex_lock(&lock);
  const struct settings *mine = current;
  pthread_mutex_unlock(&lock);
  if (mine != NULL)
    seen = mine->speed;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, publish, NULL);
  pthread_create(&threads[1], NULL, use, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("speed %d, %d uses\n", seen, uses);
  return 0;
}
