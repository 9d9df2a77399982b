/*
 * What memory is a thread's own: its stack, and what is at fs (thread-local variables, and what libc keeps of
 * it). Code in clones reaches these in ways that are not redirected, so nothing of them may ever be copied.
 *
 *   7f12a0000000-7f12a0001000 ---p      the guard below
 *   7f12a0001000-7f12a0801000 rw-p      stack_low … stack …          fs … stack_high
 *
 * Of a thread that libc has started, both are in one piece of memory; the first thread has them in two.
 * The kernel's list is read once by each thread, without libc: a lock may be held by then.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>

#include "../syscalls.h"
#include "sections.h"

/* struct pthread of any glibc is smaller, and lies at fs. */
#define THREAD_BLOCK 4096
/* Thread-local variables of the program and its libraries are below fs, by less than this. */
#define LARGEST_STATIC_TLS (1 << 20)

struct area {
  uint64_t low, high;
};

static uint64_t thread_block(void) {
  uint64_t at;
  __asm__("mov %%fs:0, %0" : "=r"(at));
  return at;
}

/* One line of /proc/self/maps after the other: `low-high …`. */
static struct area area_of(uint64_t address) {
  struct area found = {0, 0}, line = {0, 0};
  long fd = DH_SYSCALL(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (dh_failed(fd))
    return found;
  char bytes[2048];
  int part = 0; /* 0: low, 1: high, 2: the rest of the line */
  for (long length; found.high == 0 && (length = DH_SYSCALL(SYS_read, fd, bytes, sizeof bytes, 0)) > 0;) {
    for (long i = 0; i < length; i++) {
      char c = bytes[i];
      if (c == '\n') {
        part = 0;
        line = (struct area){0, 0};
      } else if (part < 2 && (c == '-' || c == ' ')) {
        if (++part == 2 && address - line.low < line.high - line.low) {
          found = line;
          break;
        }
      } else if (part < 2) {
        uint64_t *number = part == 0 ? &line.low : &line.high;
        *number = *number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
      }
    }
  }
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  return found;
}

static int lowest_tls(struct dl_phdr_info *info, size_t size, void *lowest) {
  (void)size;
  uint64_t at = (uint64_t)info->dlpi_tls_data, block = thread_block();
  if (at != 0 && at < block && block - at < LARGEST_STATIC_TLS && at < *(uint64_t *)lowest)
    *(uint64_t *)lowest = at;
  return 0;
}

static uint64_t own_below_block, on_first_stack;
/* The first thread's stack grows; nothing else is put closer to it than this. */
#define FIRST_STACK (64ull << 20)

/* All threads have their static variables at the same distances. */
static __attribute__((constructor(102))) void measure(void) {
  uint64_t block = thread_block(), lowest = block;
  dl_iterate_phdr(lowest_tls, &lowest);
  /* Libraries that are loaded later may get some of what is left over below. */
  own_below_block = block - lowest + THREAD_BLOCK;
  on_first_stack = (uint64_t)__builtin_frame_address(0);
}

static uint64_t lower(uint64_t one, uint64_t other) { return one < other ? one : other; }

int dh_stack_find(struct dh_section_thread *thread, uint64_t stack) {
  uint64_t block = thread_block();
  struct area own = area_of(block), area = area_of(stack);
  if (area.high == 0 || own.high == 0)
    return 0;
  uint64_t above = block + THREAD_BLOCK, below = block - own_below_block;
  thread->own_low = below > own.low ? below : own.low;
  thread->own_high = above < own.high ? above : own.high;
  int is_first = on_first_stack - area.low < area.high - area.low;
  if (!is_first && (area.low != own.low || stack >= block))
    return 0;
  thread->stack_low = is_first ? area.high - FIRST_STACK : area.low;
  thread->stack_high = is_first ? area.high : thread->own_high;
  thread->around_low = lower(thread->stack_low, thread->own_low);
  thread->around_size = -lower(-thread->stack_high, -thread->own_high) - thread->around_low;
  return 1;
}
