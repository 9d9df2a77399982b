/* The functions of malloc's family that hooks stand in for: for the one file of an agent that has these hooks. */
#ifndef DH_REAL_ALLOCATOR_H
#define DH_REAL_ALLOCATOR_H

#include <errno.h>
#include <stddef.h>

#include "hooks/early-memory.h"
#include "real.h"

/*
 * dlsym may allocate and free while it looks for malloc. `first_malloc` and the like, which run until
 * the agent has started, then hand out early memory; what is freed then is forgotten.
 */
#define REAL_ALLOCATOR(type, name_, parameters, arguments, early)                                  \
  static type first_##name_ parameters;                                                            \
  static type(*real_##name_) parameters = first_##name_;                                           \
  static const struct dh_real real_entry_##name_ = {#name_, NULL, (void **)&real_##name_};         \
  static const struct dh_real *const entry_##name_ __attribute__((section("dh_reals"), used)) =    \
      &real_entry_##name_;                                                                         \
  static type first_##name_ parameters {                                                           \
    if (searching)                                                                                 \
      return early;                                                                                \
    searching = 1;                                                                                 \
    void *found = dh_find(#name_, NULL);                                                           \
    searching = 0;                                                                                 \
    if (found == NULL)                                                                             \
      return early;                                                                                \
    __atomic_store_n((void **)&real_##name_, found, __ATOMIC_RELAXED);                             \
    return real_##name_ arguments;                                                                 \
  }

static __thread int searching __attribute__((tls_model("initial-exec")));

REAL_ALLOCATOR(void *, malloc, (size_t size), (size), dh_early_memory(size))
REAL_ALLOCATOR(void *, calloc, (size_t count, size_t size), (count, size),
               dh_early_memory(count *size))
REAL_ALLOCATOR(void *, realloc, (void *at, size_t size), (at, size), dh_early_memory(size))
REAL_ALLOCATOR(int, posix_memalign, (void **at, size_t alignment, size_t size),
               (at, alignment, size), ENOMEM)
REAL_ALLOCATOR(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), NULL)
REAL_ALLOCATOR(void *, memalign, (size_t alignment, size_t size), (alignment, size), NULL)
REAL_ALLOCATOR(void *, valloc, (size_t size), (size), NULL)
REAL_ALLOCATOR(void *, pvalloc, (size_t size), (size), NULL)
REAL_ALLOCATOR(void, free, (void *at), (at), (void)0)

#endif
