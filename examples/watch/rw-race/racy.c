/*
 * RWrace, the smallest data race there is: one thread writes random values, the other one reads them, and
 * nothing orders the two. Runs for as many seconds as its argument says.
 *
 * Race: shared, lines 16 and 22.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile int shared;
static time_t end;

static void *writer(void *unused) {
  for (unsigned value = 1; time(NULL) < end; value = value * 1103515245 + 12345) shared = (int)value;
  return unused;
}

static void *reader(void *unused) {
  long seen = 0;
  while (time(NULL) < end) seen += shared != 0;
  *(long *)unused = seen;
  return NULL;
}

int main(int argc, char **argv) {
  end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  pthread_t threads[2];
  long seen;
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, &seen);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done\n");
  return 0;
}
