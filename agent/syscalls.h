/*
 * System calls without libc: they leave errno alone and are no cancellation points, which a hook of
 * a function that is none must not have. Failures are negative errno values.
 */
#ifndef DH_SYSCALLS_H
#define DH_SYSCALLS_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static inline long dh_syscall6(long number, long a, long b, long c, long d, long e, long f) {
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

#define DH_SYSCALL(number, a, b, c, d)                                                             \
  dh_syscall6(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

static inline int dh_failed(long result) { return result < 0 && result >= -4095; }

/* In nanoseconds, by the clock that perf events may be asked to go by. */
static inline uint64_t dh_time(void) {
  struct {
    int64_t seconds, nanoseconds;
  } now = {0, 0};
  DH_SYSCALL(SYS_clock_gettime, 1 /* CLOCK_MONOTONIC */, &now, 0, 0);
  return (uint64_t)(now.seconds * 1000000000 + now.nanoseconds);
}

/* Memory of our own, zeroed, that takes up room once it is touched: NULL if there is none. It is at
   `place` if nothing else is there. */
static inline void *dh_map_at(uintptr_t place, uint64_t size) {
  long at = dh_syscall6(SYS_mmap, (long)place, (long)size, 3 /* read, write */,
                        0x4022 /* private, anonymous, no reserve */, -1, 0);
  return dh_failed(at) ? 0 : (void *)at;
}
static inline void *dh_map(uint64_t size) { return dh_map_at(0, size); }
void *dh_map_far(uint64_t size); /* for much of it: see far-memory.c */

/* Whole pages become zeros again. */
static inline void dh_forget(void *at, uint64_t size) {
  DH_SYSCALL(SYS_madvise, at, size, 4 /* MADV_DONTNEED */, 0);
}

static inline void dh_unmap(void *at, uint64_t size) { DH_SYSCALL(SYS_munmap, at, size, 0, 0); }

/* Of memory that may be gone, or may not be read: the kernel is asked to. 0 if it cannot. */
static inline int dh_peek(void *to, const void *from, uint64_t size) {
  struct iovec here = {to, size}, there = {(void *)from, size};
  long pid = DH_SYSCALL(SYS_getpid, 0, 0, 0, 0);
  return dh_syscall6(SYS_process_vm_readv, pid, (long)&here, 1, (long)&there, 1, 0) == (long)size;
}

#endif
