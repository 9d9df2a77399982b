/* Two threads count without a lock; then the program ends in the way it is told to. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int large[1 << 20];
static int much;

__attribute__((noinline)) static void *count(void *unused) {
  for (int i = 0; i < 100; i++)
    counter++;
  for (int i = 0; i < (much ? 400000 : 0); i++) {
    pthread_mutex_lock(&lock);
    large[i * 7919L % (1 << 20)]++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void outlive(void) {
  while (access("deadheat-is-gone", F_OK) != 0)
    usleep(10000);
  FILE *file = fopen("outlived.new", "w");
  fputs("still here\n", file);
  fclose(file);
  rename("outlived.new", "outlived");
}

int main(int argc, char **argv) {
  const char *end = argc > 1 ? argv[1] : "";
  pthread_t threads[2];
  much = strcmp(end, "much") == 0;
  if (strcmp(end, "deaf") == 0)
    signal(SIGINT, SIG_IGN);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  if (much) { /* a thread that begins when logs have filled the disk */
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_join(threads[0], NULL);
  }
  puts("counted");
  fflush(stdout);
  if (strcmp(end, "crash") == 0)
    *(volatile int *)8 = 1;
  if (strcmp(end, "deadlock") == 0) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
  }
  while (strcmp(end, "wait") == 0 || strcmp(end, "deaf") == 0)
    pause();
  if (strcmp(end, "outlive") == 0)
    outlive();
  return 5;
}
