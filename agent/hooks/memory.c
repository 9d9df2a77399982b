/*
 * malloc and its family, and mmap: memory that is new, or that is given back. C++'s new and delete
 * end here, too.
 *
 * A block that only one thread ever touched is nobody's business, and most are. So an allocation is
 * kept back (allocations.c) until it is freed, when it is known whether there is anything to log.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../accesses.h"
#include "../allocations.h"
#include "../log.h"
#include "../real-allocator.h"
#include "../real-mapping.h"
#include "../real.h"
#include "early-memory.h"
#include "hooks.h"

REAL_ALLOCATOR(void *, reallocarray, (void *at, size_t count, size_t size), (at, count, size),
               (errno = ENOMEM, NULL))
DH_REAL(size_t, malloc_usable_size, (void *at), (at))

/* An allocator that is not libc's own locks with pthread_mutex_lock: not the program's locks. */
static int noisy_allocator;

/* Whether malloc_usable_size knows this malloc's blocks: an allocator may come without one. */
static int knows_sizes;

static int same_library(void *a, void *b) {
  Dl_info of_a, of_b;
  return dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0 && of_a.dli_fbase == of_b.dli_fbase;
}

void dh_memory_prepare(void) {
  noisy_allocator = !dh_is_internal((void *)real_malloc);
  knows_sizes = same_library((void *)real_malloc, (void *)real_malloc_usable_size);
}

/* How large a block is; at least that, if the allocator does not tell. */
static inline size_t size_of(struct dh_thread *thread, void *at) {
  if (knows_sizes)
    return real_malloc_usable_size(at);
  struct dh_allocation *slot = dh_allocation_slot(thread, at);
  return slot->at == at ? slot->size : 1;
}

/* The calling thread if this call is to be logged; its locks are not, until allocated(). */
static inline struct dh_thread *begin(void) {
  struct dh_thread *thread = dh_thread_here();
  if (thread != NULL && noisy_allocator)
    thread->quiet++;
  return thread;
}

static inline void be_loud(struct dh_thread *thread) {
  if (noisy_allocator)
    thread->quiet--;
}

/* Keeps errno: nothing here calls libc. */
static inline void *allocated(struct dh_thread *thread, void *at, size_t size, const void *caller) {
  if (thread == NULL)
    return at;
  be_loud(thread);
  if (at == NULL)
    return at;
  dh_enter(thread);
  dh_memory_fresh(at, size);
  dh_allocation_begins(thread, at, size, caller);
  dh_leave(thread);
  return at;
}

/* Before the block is given back: afterwards another thread may have it already. */
static inline void freeing(struct dh_thread *thread, void *at, size_t size, const void *caller) {
  dh_enter(thread);
  dh_drain(thread);
  dh_allocation_ends(thread, at, size, dh_memory_was_shared(at, size), caller);
  dh_memory_fresh(at, size);
  dh_leave(thread);
}

DH_HOOK void *malloc(size_t size) {
  struct dh_thread *thread = begin();
  return allocated(thread, real_malloc(size), size, DH_CALLER);
}

DH_HOOK void *calloc(size_t count, size_t size) {
  struct dh_thread *thread = begin();
  return allocated(thread, real_calloc(count, size), count * size, DH_CALLER);
}

DH_HOOK void *aligned_alloc(size_t alignment, size_t size) {
  struct dh_thread *thread = begin();
  return allocated(thread, real_aligned_alloc(alignment, size), size, DH_CALLER);
}

DH_HOOK void *memalign(size_t alignment, size_t size) {
  struct dh_thread *thread = begin();
  return allocated(thread, real_memalign(alignment, size), size, DH_CALLER);
}

DH_HOOK void *valloc(size_t size) {
  struct dh_thread *thread = begin();
  return allocated(thread, real_valloc(size), size, DH_CALLER);
}

DH_HOOK void *pvalloc(size_t size) {
  struct dh_thread *thread = begin();
  return allocated(thread, real_pvalloc(size), size, DH_CALLER);
}

DH_HOOK int posix_memalign(void **at, size_t alignment, size_t size) {
  struct dh_thread *thread = begin();
  int result = real_posix_memalign(at, alignment, size);
  allocated(thread, result == 0 ? *at : NULL, size, DH_CALLER);
  return result;
}

DH_HOOK void free(void *at) {
  if (dh_is_early_memory(at))
    return;
  struct dh_thread *thread = at == NULL ? NULL : dh_thread_here();
  if (thread == NULL) {
    real_free(at);
    return;
  }
  freeing(thread, at, size_of(thread, at), DH_CALLER);
  if (noisy_allocator)
    thread->quiet++;
  real_free(at);
  be_loud(thread);
}

/*
 * The old block ends and a new one begins, even if it is in the same place: whoever uses the old one
 * at the same time was only lucky. If there is no room for a larger one, the old one stays.
 */
static inline void *resize(void *at, size_t size, void *(*real)(void *, size_t, size_t),
                           size_t count, const void *caller) {
  if (dh_is_early_memory(at))
    return dh_outgrow_early_memory(at, malloc(size * count), size * count);
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL)
    return real(at, size, count);
  size_t before = at == NULL ? 0 : size_of(thread, at);
  if (at != NULL)
    freeing(thread, at, before, caller);
  if (noisy_allocator)
    thread->quiet++;
  void *resized = real(at, size, count);
  int refused = resized == NULL && at != NULL && size != 0 && count != 0;
  return refused ? (allocated(thread, at, before, caller), NULL)
                 : allocated(thread, resized, size * count, caller);
}

static void *plain_realloc(void *at, size_t size, size_t count) {
  (void)count;
  return real_realloc(at, size);
}

static void *array_realloc(void *at, size_t size, size_t count) {
  return real_reallocarray(at, count, size);
}

DH_HOOK void *realloc(void *at, size_t size) {
  return resize(at, size, plain_realloc, 1, DH_CALLER);
}

DH_HOOK void *reallocarray(void *at, size_t count, size_t size) {
  return resize(at, size, array_realloc, count, DH_CALLER);
}

static inline void *mapped(void *at, size_t size, const void *caller) {
  struct dh_thread *thread = at == MAP_FAILED ? NULL : dh_thread_here();
  if (thread != NULL) {
    dh_enter(thread);
    dh_memory_fresh(at, size);
    dh_log_memory(thread, DH_OP_ALLOCATE, dh_coming_seq(), at, size, caller);
    dh_leave(thread);
  }
  return at;
}

static inline void unmapping(void *at, size_t size, const void *caller) {
  struct dh_thread *thread = dh_thread_here();
  if (thread != NULL)
    freeing(thread, at, size, caller);
}

DH_HOOK void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == MAP_FIXED)
    unmapping(at, size, DH_CALLER);
  return mapped(real_mmap(at, size, protection, flags, fd, offset), size, DH_CALLER);
}

DH_HOOK void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == MAP_FIXED)
    unmapping(at, size, DH_CALLER);
  return mapped(real_mmap64(at, size, protection, flags, fd, offset), size, DH_CALLER);
}

DH_HOOK int munmap(void *at, size_t size) {
  unmapping(at, size, DH_CALLER);
  return real_munmap(at, size);
}

DH_HOOK void *mremap(void *at, size_t size, size_t new_size, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *new_at = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
  va_end(more);
  unmapping(at, size, DH_CALLER);
  return mapped(real_mremap(at, size, new_size, flags, new_at), new_size, DH_CALLER);
}
