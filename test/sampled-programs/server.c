/*
 * Three threads work for as many milliseconds of processor time as the first argument says. `hits` is counted
 * without a lock (unless it is built with -DFIXED), `misses` with one. With a second argument the program says that it is there, and then waits for
 * a line of input before it ends; its exit status is 7.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORKERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long hits, misses;
static long milliseconds;
static atomic_int is_over;

static long own_milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void count_hit(void) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  for (int i = 0; i < 200; i++) hits++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void count_miss(void) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 200; i++) misses++;
  pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
  while (!is_over && own_milliseconds() < milliseconds) {
    count_hit();
    count_miss();
  }
  return unused;
}

int main(int count, char **arguments) {
  pthread_t workers[WORKERS];
  milliseconds = count > 1 ? atol(arguments[1]) : 300;
  for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, NULL);
  if (count > 2) {
    puts("ready");
    fflush(stdout);
    getchar();
    is_over = 1;
  }
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
  puts("done");
  return 7;
}
