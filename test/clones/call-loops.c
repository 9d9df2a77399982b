/* Calls the functions of test/harness/random-loops.ts, each in an epoch of its own. An argument: the arena's size. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern long (*loops[])(unsigned char *at, long iterations);
extern int loop_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *arena;
static size_t size;

static unsigned long digest(unsigned long hash) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ arena[i]) * 0x100000001b3;
  return hash;
}

static void separate(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void *work(void *nothing) {
  static const long iterations[] = {0, 1, 2, 7, 15, 30};
  for (int i = 0; i < loop_count; i++)
    for (size_t n = 0; n < sizeof iterations / sizeof *iterations; n++) {
      separate();
      long result = loops[i](arena, iterations[n]);
      separate();
      printf("%d %zu %ld\n", i, n, result);
    }
  return nothing;
}

int main(int argc, char **argv) {
  size = (size_t)atol(argv[argc - 1]);
  arena = calloc(size, 1);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  printf("%lx\narena 0x%lx 0x%zx\n", digest(1), (unsigned long)arena, size);
  return 0;
}
