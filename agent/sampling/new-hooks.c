/*
 * C++'s new. That of libstdc++ ends in malloc, which has told of the block by then; that of jemalloc, tcmalloc and
 * others does not. What delete gives back need not be known: whoever gets the same place later allocates it, too.
 *
 * A program without C++ may load a library that has it for itself alone. Then new is not among the definitions that
 * come after ours, but among those that whoever calls it sees.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "../real.h"
#include "blocks.h"

/* `blocks`: how many there were before. */
DH_HOT void *made(void *at, size_t size, uint32_t blocks) {
  const struct dh_sampled_thread *thread = &dh_thread;
  uint32_t now = thread->blocks;
  int is_told = now != blocks && now != 0 && thread->block[now - 1] == dh_block_of(at, size);
  if (at != NULL && !is_told)
    dh_block_allocated(at, size);
  return at;
}

#define NEW(name_, parameters, arguments, otherwise)                                               \
  DH_HOOK void *name_ parameters;                                                                  \
  static void *(*real_##name_)parameters;                                                          \
  static const struct dh_real real_entry_##name_ = {#name_, NULL, (void **)&real_##name_};         \
  static const struct dh_real *const entry_##name_ __attribute__((section("dh_reals"), used)) =    \
      &real_entry_##name_;                                                                         \
  DH_HOOK void *name_ parameters {                                                                 \
    if (DH_UNLIKELY(real_##name_ == NULL))                                                         \
      __atomic_store_n((void **)&real_##name_, dh_find_for(#name_, DH_CALLER), __ATOMIC_RELAXED);  \
    if (DH_UNLIKELY(real_##name_ == NULL))                                                         \
      return otherwise;                                                                            \
    uint32_t blocks = dh_thread.blocks;                                                            \
    return made(real_##name_ arguments, size, blocks);                                             \
  }

/* new and new[]; for more than the usual alignment; those that do not throw. */
NEW(_Znwm, (size_t size), (size), malloc(size))
NEW(_Znam, (size_t size), (size), malloc(size))
NEW(_ZnwmRKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow), malloc(size))
NEW(_ZnamRKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow), malloc(size))
NEW(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment),
    aligned_alloc(alignment, size))
NEW(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment),
    aligned_alloc(alignment, size))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *nothrow),
    (size, alignment, nothrow), aligned_alloc(alignment, size))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const void *nothrow),
    (size, alignment, nothrow), aligned_alloc(alignment, size))
