/*
 * Four threads count in the four bytes of one word. The bytes are memory of their own each, and no access
 * covers two of them before the joins.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4 };

static union {
  unsigned all;
  unsigned char bytes[THREADS];
} word;

static void *count(void *byte) {
  for (int i = 0; i < 5; i++) {
    ++*(unsigned char *)byte;
    usleep(1000);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, count, &word.bytes[i]);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%x\n", word.all);
  return 0;
}
