/* What all of these programs print: a result to check, and how long the work took. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int size_given(int argc, char **argv) {
  if (argc < 2 || atoi(argv[1]) <= 0) {
    fprintf(stderr, "usage: %s SIZE\n", argv[0]);
    exit(2);
  }
  return atoi(argv[1]);
}

static void report(long long result, long long since) {
  printf("%lld %lld\n", result, nanoseconds() - since);
}
