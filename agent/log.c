#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "accesses.h"
#include "syscalls.h"

uint64_t dh_next_seq __attribute__((aligned(64))) = 1;

#define PAGE 4096
#define FIRST_WINDOW (16 * PAGE)
#define LARGEST_WINDOW (256 * PAGE)

static char *append_number(char *to, uint32_t number) {
  char digits[10];
  int count = 0;
  do
    digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  while (count > 0)
    *to++ = digits[--count];
  return to;
}

/* `<folder>/<process>-<thread>.log` */
static void name_log(const struct dh_thread *thread) {
  char *path = thread->log_path;
  for (size_t i = 0; i < dh_process.folder_length; i++)
    path[i] = dh_process.folder[i];
  char *at = append_number(path + dh_process.folder_length, dh_process.number);
  *at++ = '-';
  at = append_number(at, thread->number);
  for (const char *suffix = ".log"; (*at++ = *suffix) != 0; suffix++)
    ;
}

static long write_zeros(long fd, uint64_t from, uint64_t to) {
  static const char zeros[PAGE];
  while (from < to) {
    uint64_t length = to - from < PAGE ? to - from : PAGE;
    long written = DH_SYSCALL(SYS_pwrite64, fd, zeros, length, from);
    if (dh_failed(written))
      return written;
    from += (uint64_t)written;
  }
  return 0;
}

/* Blocks on the disk, so that no write into the window can fail. 0, or a negative errno value. */
static long reserve(long fd, uint64_t offset, uint64_t size) {
  struct rlimit limit;
  /* Beyond this limit we would not get an error, but the program a SIGXFSZ. */
  if (DH_SYSCALL(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit) == 0 && limit.rlim_cur < offset + size)
    return -EFBIG;
  long result;
  do
    result = DH_SYSCALL(SYS_fallocate, fd, 0, offset, size);
  while (result == -EINTR);
  return result == -EOPNOTSUPP || result == -ENOSYS ? write_zeros(fd, offset, offset + size)
                                                    : result;
}

/*
 * Maps [offset, offset + size) of the log. The file is opened for each window anew: a descriptor
 * that stays open would change which numbers the program gets for its own, or be closed by it.
 */
static long map_window(struct dh_thread *thread, int flags, uint64_t offset, uint64_t size) {
  long fd = DH_SYSCALL(SYS_openat, AT_FDCWD, thread->log_path,
                       O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (dh_failed(fd))
    return fd;
  long at = reserve(fd, offset, size);
  if (!dh_failed(at))
    at = dh_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
                     (long)offset);
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  return at;
}

static void use_window(struct dh_thread *thread, char *at, uint64_t offset, uint64_t size,
                       uint64_t used) {
  thread->log_window = at;
  thread->log_window_offset = offset;
  thread->log_window_size = size;
  thread->log_at = (uint64_t *)(at + used);
  thread->log_end = (uint64_t *)(at + size);
}

/* The order over all threads has a hole from here on, so the others need not go on either. */
static void stop_logging(struct dh_thread *thread, long error) {
  thread->log_end = thread->log_at;
  if (__atomic_exchange_n(&dh_process.log_stopped, 1, __ATOMIC_RELAXED))
    return;
  dh_problem(DH_PROBLEM_LOG_STOPPED, 0, (int)-error, thread->log_path);
}

void dh_log_open(struct dh_thread *thread) {
  thread->log_window = NULL;
  thread->log_at = thread->log_end = NULL;
  name_log(thread);
  if (dh_process.log_stopped)
    return;
  long at = map_window(thread, O_CREAT | O_EXCL, 0, FIRST_WINDOW);
  if (dh_failed(at)) {
    stop_logging(thread, at);
    return;
  }
  struct timespec now = {0};
  DH_SYSCALL(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0, 0);
  struct dh_log_header *header = (struct dh_log_header *)at;
  header->protocol = DH_PROTOCOL;
  header->process = dh_process.number;
  header->pid = dh_process.pid;
  header->tid = thread->tid;
  header->thread = thread->number;
  header->time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  DH_SYSCALL(SYS_prctl, 16 /* PR_GET_NAME */, header->name, 0, 0);
  __atomic_store_n(&header->magic, DH_LOG_MAGIC, __ATOMIC_RELEASE);
  use_window(thread, (char *)at, 0, FIRST_WINDOW, sizeof *header);
}

int dh_log_more(struct dh_thread *thread) {
  if (dh_fork_mark.owner == 0) {
    dh_process_forked();
    return thread->log_end - thread->log_at >= DH_LOG_LARGEST;
  }
  if (thread->log_window == NULL || dh_process.log_stopped)
    return 0;
  uint64_t used = (uint64_t)((char *)thread->log_at - thread->log_window);
  uint64_t offset = thread->log_window_offset + used / PAGE * PAGE;
  uint64_t size = thread->log_window_size * 2;
  if (size > LARGEST_WINDOW)
    size = LARGEST_WINDOW;
  long at = map_window(thread, 0, offset, size);
  if (dh_failed(at)) {
    stop_logging(thread, at);
    return 0;
  }
  dh_unmap(thread->log_window, thread->log_window_size);
  use_window(thread, (char *)at, offset, size, used % PAGE);
  return 1;
}

void dh_log_close(struct dh_thread *thread) {
  if (thread->log_window == NULL)
    return;
  uint64_t length =
      thread->log_window_offset + (uint64_t)((char *)thread->log_at - thread->log_window);
  dh_unmap(thread->log_window, thread->log_window_size);
  thread->log_window = NULL;
  thread->log_at = thread->log_end = NULL;
  DH_SYSCALL(SYS_truncate, thread->log_path, length, 0, 0);
}

void dh_sync(enum dh_op op, const void *object, uint64_t extra, const void *caller) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL || dh_is_internal(caller))
    return;
  dh_enter(thread);
  dh_log_sync(thread, op, object, extra, caller);
  dh_leave(thread);
}

void dh_log_sync(struct dh_thread *thread, enum dh_op op, const void *object, uint64_t extra,
                 const void *caller) {
  dh_drain(thread);
  uint64_t words[] = {DH_HEAD(DH_LOG_SYNC, op, 0, 0), dh_take_seq(), (uintptr_t)object, extra,
                      (uintptr_t)caller};
  dh_log(thread, words, 5);
  thread->epoch++;
}

void dh_log_memory(struct dh_thread *thread, enum dh_op op, uint64_t seq, const void *at,
                   size_t size, const void *caller) {
  uint64_t coded = size < DH_SIZE_PAGES ? size : DH_SIZE_PAGES | (size + PAGE - 1) / PAGE;
  uint64_t words[] = {
      (uint64_t)DH_LOG_MEMORY | (uint64_t)op << 8 | seq << 16,
      ((uintptr_t)at & 0xffffffffffff) | coded << 48,
      ((uintptr_t)caller & 0xffffffffffff) | (coded >> 16) << 48,
  };
  dh_log(thread, words, 3);
}
