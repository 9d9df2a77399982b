/*
 * One thread sets a byte of a word, the other clears all of it: accesses of different sizes at different
 * addresses, which overlap.
 *
 * Race: word, lines 25 and 33.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static union {
  unsigned all;
  unsigned char bytes[4];
} word = {0x01010101};
static int steps;

static void count(void) {
  pthread_mutex_lock(&counting);
  steps++;
  pthread_mutex_unlock(&counting);
}

static void *set_byte(void *unused) {
  word.bytes[2] = 5;
  count();
  return unused;
}

static void *clear(void *unused) {
  usleep(30000);
  count();
  word.all = 0;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, set_byte, NULL);
  pthread_create(&threads[1], NULL, clear, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%x, %d steps\n", word.all, steps);
  return 0;
}
