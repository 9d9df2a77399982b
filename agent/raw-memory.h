/*
 * System calls for memory, without libc. Clones come into the agent from anywhere, with vector registers in
 * use that libc's functions change freely; and the hooks' own memory functions would be found instead.
 */
#ifndef DH_RAW_MEMORY_H
#define DH_RAW_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static inline long dh_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Zeroed memory that takes up room only once it is touched; NULL if there is none. */
static inline void *dh_raw_map(size_t size) {
  long at = dh_raw_call(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at < 0 && at > -4096 ? NULL : (void *)at;
}

static inline void dh_raw_unmap(void *at, size_t size) {
  if (at != NULL)
    dh_raw_call(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

/* Whole pages become zeros again. */
static inline void dh_raw_forget(void *at, size_t size) {
  dh_raw_call(SYS_madvise, (long)at, (long)size, MADV_DONTNEED, 0, 0, 0);
}

#endif
