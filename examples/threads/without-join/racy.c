/*
 * Main gives the thread some time, writes a line to the log, and takes the result. It joins the thread only
 * afterwards.
 *
 * Race: result, lines 21 and 31.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int result, log_lines;

static void log_line(void) {
  pthread_mutex_lock(&log_lock);
  log_lines++;
  pthread_mutex_unlock(&log_lock);
}

static void *compute(void *unused) {
  result = 42;
  log_line();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, compute, NULL);
  usleep(30000);
  log_line();
  int seen = result;
  pthread_join(thread, NULL);
  printf("result %d, %d lines\n", seen, log_lines);
  return 0;
}
