/*
 * The writer holds the lock, the reader does not think that it needs it for a single int. Both write a line
 * to a log, which has another lock.
 *
 * Race: temperature, lines 24 and 33.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int temperature = 20, shown, last_line;

static void log_line(int line) {
  pthread_mutex_lock(&log_lock);
  last_line = line;
  pthread_mutex_unlock(&log_lock);
}

static void *measure(void *unused) {
  log_line(1);
  pthread_mutex_lock(&lock);
  temperature = 21;
  pthread_mutex_unlock(&lock);
  log_line(2);
  return unused;
}

static void *show(void *unused) {
  usleep(30000);
  log_line(3);
  shown = temperature;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, measure, NULL);
  pthread_create(&threads[1], NULL, show, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d degrees, last line %d\n", shown, last_line);
  return 0;
}
