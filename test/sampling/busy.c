/*
 * Two threads that compute, allocate and lock until somebody says stop: by a byte on standard input. What lies in
 * between is for stacks: outer calls inner, which has the samples.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;
static volatile long counter;

static __attribute__((noinline)) void inner(void) {
  for (int i = 0; i < 20000; i++)
    counter++;
  __asm__ volatile("");
}

static __attribute__((noinline)) void outer(void) {
  inner();
  __asm__ volatile("");
}

static void *work(void *argument) {
  void *kept[8] = {0};
  for (unsigned round = 0; !is_over; round++) {
    free(kept[round % 8]);
    kept[round % 8] = malloc(round % 500);
    pthread_mutex_lock(&mutex);
    outer();
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 8; i++)
    free(kept[i]);
  return argument;
}

int main(void) {
  pthread_t threads[2];
#ifdef SMALL_FILES
  struct rlimit limit = {SMALL_FILES, SMALL_FILES};
  setrlimit(RLIMIT_FSIZE, &limit);
#endif
  char byte;
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  printf("%p\n", (void *)&mutex);
  fflush(stdout);
  /* Sleeps meanwhile, in a call that gives EINTR if a handler has run. */
  struct pollfd input = {0, POLLIN, 0};
  while (poll(&input, 1, -1) < 0 && errno == EINTR)
    ;
  if (read(0, &byte, 1) < 0)
    return 1;
  is_over = 1;
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 7;
}
