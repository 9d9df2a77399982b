/* Memory of every function that gives some: says what it has got and keeps. What it frees is silent. */
#define _GNU_SOURCE
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>

#include "named.h"

static void *kept[3000];
static size_t sizes[3000];
static int count;

static void keep(void *at, size_t size) {
  MUST(at != NULL && at != MAP_FAILED && count < 3000);
  kept[count] = at;
  sizes[count++] = size;
}

int main(void) {
  for (int i = 0; i < 2000; i++) {
    keep(malloc(16 + (size_t)i), 16 + (size_t)i);
    for (int j = 0; j < 10; j++) {
      char *one = calloc(3, 100), *other = malloc(50);
      MUST(one[299] == 0);
      memset(one, 1, 300);
      other = realloc(other, 500);
      free(one);
      free(other);
    }
  }
  void *aligned;
  MUST(posix_memalign(&aligned, 4096, 100) == 0 && (size_t)aligned % 4096 == 0);
  keep(aligned, 100);
  MUST(posix_memalign(&aligned, 3, 100) != 0);
  keep(aligned_alloc(64, 128), 128);
  keep(memalign(256, 33), 33);
  keep(valloc(10), 10);
  keep(calloc(7, 9), 63);
  keep(realloc(NULL, 77), 77);
  keep(realloc(malloc(10), 100000), 100000);
  keep(reallocarray(malloc(10), 11, 13), 143);
  volatile size_t too_large = (size_t)-1;
  MUST(calloc(too_large, 2) == NULL && reallocarray(NULL, too_large, 2) == NULL);
  void *stays = malloc(24);
  MUST(realloc(stays, too_large) == NULL);
  keep(stays, 24);
  keep(strdup("copied"), 7);
  keep(mmap(NULL, 20000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 20000);
  size_t large = (size_t)5 << 30;
  keep(mmap(NULL, large, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), large);
  void *moved = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  keep(mremap(moved, 4096, 65536, MREMAP_MAYMOVE), 65536);
  free(NULL);
  for (int i = 0; i < count; i++)
    printf("%p %zu\n", kept[i], sizes[i]);
  return 0;
}
