/*
 * Allocates blocks of many sizes in two threads, frees some of them, and says where the others are and how long, and
 * where something is that is no block. Then it waits for the end of its input.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCKS 400
#define LARGE (1 << 20)

static int global;

static void *allocate(void *unused) {
  void *blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++)
    blocks[i] = calloc(1, i % 100 == 99 ? LARGE + i : (size_t)(i * 37) % 3000 + 1);
  for (int i = 0; i < BLOCKS; i++)
    if (i % 3 == 0)
      free(blocks[i]);
    else
      printf("%p %zu\n", blocks[i], malloc_usable_size(blocks[i]));
  return unused;
}

int main(void) {
  pthread_t thread;
  allocate(NULL);
  pthread_create(&thread, NULL, allocate, NULL);
  pthread_join(thread, NULL);
  printf("%p 0\n%p 0\n%p 0\n", (void *)&global, (void *)&thread, (void *)main);
  fflush(stdout);
  char byte;
  return read(0, &byte, 1) != 0;
}
