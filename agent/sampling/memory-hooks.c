/* malloc and its family. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../hooks/early-memory.h"
#include "../real-allocator.h"
#include "../real-mapping.h"
#include "blocks.h"

DH_HOT void *allocated(void *at, size_t size) {
  if (__builtin_expect(at != NULL, 1))
    dh_block_allocated(at, size);
  return at;
}

DH_HOOK void *malloc(size_t size) { return allocated(real_malloc(size), size); }

DH_HOOK void *calloc(size_t count, size_t size) {
  return allocated(real_calloc(count, size), count * size);
}

DH_HOOK void *aligned_alloc(size_t alignment, size_t size) {
  return allocated(real_aligned_alloc(alignment, size), size);
}

DH_HOOK void *memalign(size_t alignment, size_t size) {
  return allocated(real_memalign(alignment, size), size);
}

DH_HOOK void *valloc(size_t size) { return allocated(real_valloc(size), size); }

DH_HOOK void *pvalloc(size_t size) { return allocated(real_pvalloc(size), size); }

DH_HOOK int posix_memalign(void **at, size_t alignment, size_t size) {
  int result = real_posix_memalign(at, alignment, size);
  allocated(result == 0 ? *at : NULL, size);
  return result;
}

DH_HOOK void free(void *at) {
  if (DH_UNLIKELY(dh_is_early_memory(at)))
    return;
  if (__builtin_expect(at != NULL, 1))
    dh_block_freed(at);
  real_free(at);
}

/*
 * The old block ends and a new one begins, even if it is in the same place. If there is no room for a larger one,
 * the old one goes on, and nobody remembers its size. libc's reallocarray ends here, too.
 */
DH_HOT void *resized(void *old, void *at, size_t size) {
  if (at == NULL && old != NULL && size != 0)
    dh_block_allocated(old, 0);
  return allocated(at, size);
}

DH_HOOK void *realloc(void *at, size_t size) {
  if (DH_UNLIKELY(dh_is_early_memory(at)))
    return dh_outgrow_early_memory(at, malloc(size), size);
  if (at != NULL)
    dh_block_freed(at);
  return resized(at, real_realloc(at, size), size);
}

/*
 * Memory that is mapped is new as well. That it is unmapped need not be known: whoever gets the same place later
 * maps it, too.
 */
DH_HOT void *mapped(void *at, size_t size) {
  if (at != MAP_FAILED)
    dh_block_allocated(at, size);
  return at;
}

DH_HOOK void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  return mapped(real_mmap(at, size, protection, flags, fd, offset), size);
}

DH_HOOK void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
  return mapped(real_mmap64(at, size, protection, flags, fd, offset), size);
}

DH_HOOK void *mremap(void *at, size_t size, size_t new_size, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *new_at = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
  va_end(more);
  return mapped(real_mremap(at, size, new_size, flags, new_at), new_size);
}
