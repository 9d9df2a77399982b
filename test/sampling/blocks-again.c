/* A few blocks that come back again and again: prints the address and the size of each that it gets, `free` and the
   address for each that it gives back, and `sample` where one is taken, in order. Before each that it gives back it
   takes a lock, as somebody does who may have handed it to others. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample-now.h"

#define BLOCKS 5
#define STEPS 6000

static char output[1 << 20];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *blocks[BLOCKS];
static const size_t sizes[BLOCKS] = {24, 40, 40, 600, 2128};

static void change(unsigned number) {
  unsigned long at = (unsigned long)(uintptr_t)blocks[number];
  if (at != 0) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    used += (size_t)sprintf(output + used, "%lx free\n", at);
    free(blocks[number]);
    blocks[number] = NULL;
  } else {
    blocks[number] = malloc(sizes[number]);
    at = (unsigned long)(uintptr_t)blocks[number];
    used += (size_t)sprintf(output + used, "%lx %zu\n", at, sizes[number]);
  }
}

int main(int argc, char **argv) {
  unsigned random = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  for (int step = 0; step < STEPS; step++) {
    random = random * 1103515245 + 12345;
    unsigned chosen = random >> 16;
    /* Mostly the same one, so that it is back at once. */
    change(chosen % 4 == 0 ? chosen / 4 % BLOCKS : BLOCKS - 1 - chosen / 64 % 2);
    if (chosen % 41 == 0) {
      used += (size_t)sprintf(output + used, "sample\n");
      sample_now();
    }
  }
  fwrite(output, 1, used, stdout);
  return 7;
}
