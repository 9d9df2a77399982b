/* Blocks of all kinds: prints the address and the size of each that it gets, and `free` and the address for each
   that it gives back, in order. None comes and goes unseen: a sample is taken in between,
   unless something else is said. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../include/deadheat.h"
#include "sample-now.h"

static char output[65536];
static size_t used;

static void note(void *at, size_t size) {
  used += (size_t)sprintf(output + used, "%lx %zu\n", (unsigned long)(uintptr_t)at, size);
}

static void *got(void *at, size_t size) {
  note(at, size);
  sample_now();
  return at;
}

static void gone(void *at) {
  used += (size_t)sprintf(output + used, "%lx free\n", (unsigned long)(uintptr_t)at);
}

static void give_back(void *at) {
  gone(at);
  free(at);
}

int main(void) {
  static char pool[4096] __attribute__((aligned(16)));
  void *at;
  give_back(got(malloc(1), 1));
  give_back(got(calloc(3, 100), 300));
  at = got(malloc(40), 40);
  gone(at);
  at = realloc(at, 100000);
  got(at, 100000);
  gone(at);
  at = reallocarray(at, 10, 7);
  give_back(got(at, 70));
  give_back(got(aligned_alloc(64, 640), 640));
  give_back(got(memalign(32, 50), 50));
  give_back(got(valloc(10), 10));
  if (posix_memalign(&at, 4096, 77) != 0)
    return 1;
  give_back(got(at, 77));
  at = malloc(30000000);
  give_back(got(at, 30000000));
  got(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
  deadheat_alloc(pool + 64, 200);
  got(pool + 64, 200);
  gone(pool + 64);
  deadheat_free(pool + 64);
  sample_now();
  /* Pieces that begin in the middle of a unit; two of them in one, which come and go together, and are not
     taken for each other. */
  for (int i = 0; i < 3; i++) {
    deadheat_alloc(pool + 8 + 32 * i, 32);
    got(pool + 8 + 32 * i, 32);
  }
  for (int odd = 0; odd < 2; odd++) {
    deadheat_alloc(pool + 512, 16);
    note(pool + 512, 16);
    deadheat_alloc(pool + 1024 + 8 * odd, 8);
    note(pool + 1024 + 8 * odd, 8);
    gone(pool + 1032 - 8 * odd);
    deadheat_free(pool + 1032 - 8 * odd);
    sample_now();
  }
  /* These come and go, and nobody is told. */
  for (int i = 0; i < 1000; i++) {
    at = malloc(24);
    __asm__ volatile("" ::"r"(at) : "memory");
    free(at);
  }
  fwrite(output, 1, used, stdout);
  return 7;
}
