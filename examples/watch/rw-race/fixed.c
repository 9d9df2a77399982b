/* The same with a lock around both accesses. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int shared;
static time_t end;

static void *writer(void *unused) {
  for (unsigned value = 1; time(NULL) < end; value = value * 1103515245 + 12345) {
    pthread_mutex_lock(&lock);
    shared = (int)value;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void *reader(void *unused) {
  long seen = 0;
  while (time(NULL) < end) {
    pthread_mutex_lock(&lock);
    seen += shared != 0;
    pthread_mutex_unlock(&lock);
  }
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
