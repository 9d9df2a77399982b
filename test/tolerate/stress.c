/*
 * A thread that keeps to the lock raises a number of variables by as much in each critical section, while five
 * others set them to their own numbers without it. Prints how often the section saw something else than what it
 * had done itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int scalar, table[10], **grid;
static volatile int done;

static void *ignore_lock(void *id) {
  int own = (int)(long)id;
  while (!done) {
    *(volatile int *)&scalar = own;
    for (int i = 0; i < 10; i++)
      *(volatile int *)&table[i] = own;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++)
        *(volatile int *)&grid[i][j] = own;
  }
  return NULL;
}

static __attribute__((noinline)) void raise_all(void) {
  scalar++;
  for (int i = 0; i < 10; i++)
    table[i]++;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      grid[i][j]++;
  __asm__ volatile("" ::: "memory");
}

int main(int count, char **arguments) {
  long entries = count > 1 ? atol(arguments[1]) : 10000, torn = 0;
  grid = malloc(5 * sizeof *grid);
  for (int i = 0; i < 5; i++)
    grid[i] = calloc(5, sizeof **grid);
  pthread_t threads[5];
  for (long i = 0; i < 5; i++)
    pthread_create(&threads[i], NULL, ignore_lock, (void *)(i + 1));
  for (long n = 0; n < entries; n++) {
    pthread_mutex_lock(&lock);
    int before = scalar, first = table[3], inner = grid[2][2];
    for (int i = 0; i < 20; i++)
      raise_all();
    if (scalar != before + 20 || table[3] != first + 20 || grid[2][2] != inner + 20)
      torn++;
    pthread_mutex_unlock(&lock);
  }
  done = 1;
  for (int i = 0; i < 5; i++)
    pthread_join(threads[i], NULL);
  printf("torn %ld\n", torn);
  return 0;
}
