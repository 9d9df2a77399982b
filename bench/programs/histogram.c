/* Counts how often each value occurs in an array: the threads share the counters, under one mutex. */
#include <pthread.h>

#include "report.h"

#define THREADS 2
#define VALUES 256

static unsigned char *samples;
static int sample_count;
static int counters[VALUES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *part) {
  int first = (long)part * (sample_count / THREADS);
  for (int i = first; i < first + sample_count / THREADS; i++) {
    pthread_mutex_lock(&lock);
    counters[samples[i]]++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argc, char **argv) {
  sample_count = size_given(argc, argv) / THREADS * THREADS;
  long long start = nanoseconds();
  samples = malloc(sample_count);
  unsigned random = 1;
  for (int i = 0; i < sample_count; i++) {
    random = random * 1103515245 + 12345;
    samples[i] = random >> 24;
  }
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, count, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  long long sum = 0;
  for (int i = 0; i < VALUES; i++)
    sum += (long long)counters[i] * i;
  report(sum, start);
  free(samples);
  return 0;
}
