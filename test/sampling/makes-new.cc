// Makes blocks with all kinds of new, as memory.c does with malloc; of a shared object, for loads-new.c.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" {
#include "sample-now.h"
}

static void got(void *at, size_t size) {
  static char output[4096];
  static int used;
  used += snprintf(output + used, sizeof output - used, "%lx %zu\n", (unsigned long)(uintptr_t)at, size);
  sample_now();
  if (size == 0)
    fputs(output, stdout);
}

extern "C" int make_new() {
  got(operator new(40), 40);
  got(operator new[](50), 50);
  got(operator new(60, std::nothrow), 60);
  got(operator new(128, std::align_val_t(64)), 128);
  got(operator new(256, std::align_val_t(64), std::nothrow), 256);
  int is_thrown = 0;
  try {
    if (getenv("WITHOUT_MEMORY"))
      operator delete(operator new(SIZE_MAX / 4));
  } catch (const std::bad_alloc &) {
    is_thrown = 1;
  }
  // These come and go, and nobody is told.
  for (int i = 0; i < 1000; i++) {
    void *at = operator new(24);
    __asm__ volatile("" ::"r"(at) : "memory");
    operator delete(at);
  }
  got(nullptr, 0);
  return getenv("WITHOUT_MEMORY") && !is_thrown ? 1 : 7;
}

int main() { return make_new(); }
