/* What all of these programs print: a result to check, how long the work took, how much processor time, and when it
   was over (nanoseconds since 1970). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long nanoseconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static long long nanoseconds(void) { return nanoseconds_of(CLOCK_MONOTONIC); }

static int size_given(int argc, char **argv) {
  if (argc < 2 || atoi(argv[1]) <= 0) {
    fprintf(stderr, "usage: %s SIZE\n", argv[0]);
    exit(2);
  }
  return atoi(argv[1]);
}

static void report(long long result, long long since) {
  const long long took = nanoseconds() - since;
  printf("%lld %lld %lld %lld\n", result, took, nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID),
         nanoseconds_of(CLOCK_REALTIME));
}
