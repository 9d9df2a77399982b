/*
 * A thread that does not get the lock at once counts without it, then writes to the log. The one that has the
 * lock was slow: it wrote to the log, and counted, after that.
 *
 * Race: count, lines 25 and 36.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int count, log_lines;

static void log_line(void) {
  pthread_mutex_lock(&log_lock);
  log_lines++;
  pthread_mutex_unlock(&log_lock);
}

static void *slow(void *unused) {
  pthread_mutex_lock(&lock);
  usleep(80000);
  log_line();
  count++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *impatient(void *unused) {
  usleep(30000);
  if (pthread_mutex_trylock(&lock) == 0) {
    count++;
    pthread_mutex_unlock(&lock);
  } else {
    count++;
  }
  log_line();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, slow, NULL);
  pthread_create(&threads[1], NULL, impatient, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("count %d, %d lines\n", count, log_lines);
  return 0;
}
