#include "early-memory.h"

char dh_early[32768] __attribute__((aligned(16)));

void *dh_early_memory(size_t size) {
  static size_t used;
  if (size > sizeof dh_early)
    return NULL;
  size_t taken = (size + 15) & ~(size_t)15;
  size_t at = __atomic_fetch_add(&used, taken, __ATOMIC_RELAXED);
  return at + taken > sizeof dh_early ? NULL : dh_early + at;
}

void *dh_outgrow_early_memory(const void *early, void *to, size_t size) {
  const char *from = early;
  size_t left = (size_t)(dh_early + sizeof dh_early - from);
  if (to != NULL)
    for (size_t i = 0; i < size && i < left; i++)
      ((char *)to)[i] = from[i];
  return to;
}
