#define _GNU_SOURCE
#include "log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "accesses.h"
#include "log-file.h"
#include "syscalls.h"

uint64_t dh_next_seq __attribute__((aligned(64))) = 1;

/* `<folder>/<process>-<thread>.log` */
static void name_log(const struct dh_thread *thread) {
  for (size_t i = 0; i < dh_process.folder_length; i++)
    thread->log_path[i] = dh_process.folder[i];
  dh_log_name(thread->log_path + dh_process.folder_length, dh_process.number, thread->number);
}

/*
 * The file is opened anew each time: a descriptor that stays open would change which numbers the
 * program gets for its own, or be closed by it.
 */
static long open_log(const struct dh_thread *thread, int flags) {
  return DH_SYSCALL(SYS_openat, AT_FDCWD, thread->log_path,
                    O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

static void close_log(long fd) { DH_SYSCALL(SYS_close, fd, 0, 0, 0); }

/* All of the window is mapped, but what is not reserved is not to be touched. */
static long map_window(struct dh_thread *thread) {
  long fd = open_log(thread, O_CREAT | O_EXCL);
  if (dh_failed(fd))
    return fd;
  long at = dh_log_reserve(fd, 0, DH_LOG_FIRST_PART);
  if (!dh_failed(at))
    at = dh_syscall6(SYS_mmap, 0, DH_LOG_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close_log(fd);
  /* A thread that begins when the disk is full leaves no empty file behind. */
  if (dh_failed(at))
    DH_SYSCALL(SYS_unlinkat, AT_FDCWD, thread->log_path, 0, 0);
  return at;
}

static long reserve_rest(const struct dh_thread *thread) {
  long fd = open_log(thread, 0);
  if (dh_failed(fd))
    return fd;
  long result = dh_log_reserve(fd, DH_LOG_FIRST_PART, DH_LOG_WINDOW);
  close_log(fd);
  return result;
}

static struct dh_log_header *header_of(const struct dh_thread *thread) {
  return (struct dh_log_header *)thread->log_window;
}

static uint64_t *first_record(const struct dh_thread *thread) {
  return (uint64_t *)(header_of(thread) + 1);
}

/* The order over all threads has a hole from here on, so the others need not go on either. */
static void stop_logging(struct dh_thread *thread, long error) {
  thread->log_end = thread->log_at;
  if (!__atomic_exchange_n(&dh_process.log_stopped, 1, __ATOMIC_RELAXED))
    dh_problem(DH_PROBLEM_LOG_STOPPED, 0, (int)-error, thread->log_path);
}

void dh_log_open(struct dh_thread *thread) {
  thread->log_window = NULL;
  thread->log_at = thread->log_end = NULL;
  name_log(thread);
  if (dh_process.log_stopped)
    return;
  long at = map_window(thread);
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
  thread->log_window = (char *)at;
  thread->log_at = first_record(thread);
  thread->log_end = (uint64_t *)(at + DH_LOG_FIRST_PART);
}

static long append_window(struct dh_thread *thread) {
  struct dh_log_header *header = header_of(thread);
  uint64_t used = (uint64_t)((char *)thread->log_at - (char *)first_record(thread));
  long fd = open_log(thread, 0);
  if (dh_failed(fd))
    return fd;
  long result = dh_log_write(fd, first_record(thread), used, DH_LOG_WINDOW + header->flushed);
  close_log(fd);
  if (result == 0)
    __atomic_store_n(&header->flushed, header->flushed + used, __ATOMIC_RELEASE);
  return result;
}

int dh_log_more(struct dh_thread *thread) {
  if (dh_fork_mark.owner == 0) {
    dh_process_forked();
    return thread->log_end - thread->log_at >= DH_LOG_LARGEST;
  }
  if (thread->log_window == NULL || dh_process.log_stopped)
    return 0;
  uint64_t *end = (uint64_t *)(thread->log_window + DH_LOG_WINDOW);
  int has_all = thread->log_end == end;
  long result = has_all ? append_window(thread) : reserve_rest(thread);
  if (result != 0) {
    stop_logging(thread, result);
    return 0;
  }
  if (!has_all) {
    thread->log_end = end;
    return 1;
  }
  for (uint64_t *word = first_record(thread); word < thread->log_at; word++)
    *word = 0;
  struct dh_log_header *header = header_of(thread);
  __atomic_store_n(&header->window_start, header->flushed, __ATOMIC_RELEASE);
  thread->log_at = first_record(thread);
  return 1;
}

void dh_log_close(struct dh_thread *thread) {
  if (thread->log_window == NULL)
    return;
  dh_unmap(thread->log_window, DH_LOG_WINDOW);
  thread->log_window = NULL;
  thread->log_at = thread->log_end = NULL;
}

static void log_operation(struct dh_thread *thread, uint64_t seq, enum dh_op op, const void *object,
                          uint64_t extra, const void *caller) {
  uint64_t first = (uint64_t)op << 8 | seq << 16;
  if (op == DH_OP_WAIT_BEGIN || op == DH_OP_WAIT_END) {
    uint64_t words[] = {first | DH_LOG_WAIT, (uintptr_t)object, (uintptr_t)caller, extra};
    dh_log(thread, words, 4);
  } else {
    uint64_t words[] = {first | DH_LOG_SYNC, (uintptr_t)object | extra << 48, (uintptr_t)caller};
    dh_log(thread, words, 3);
  }
  thread->epoch++;
}

void dh_sync(enum dh_op op, const void *object, uint64_t extra, const void *caller) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL || dh_is_internal(caller))
    return;
  dh_enter(thread);
  dh_log_sync(thread, op, object, extra, caller);
  dh_leave(thread);
}

struct dh_thread *dh_release_begin(const void *caller, uint64_t *seq) {
  struct dh_thread *thread = dh_thread_here();
  if (thread == NULL || dh_is_internal(caller))
    return NULL;
  dh_enter(thread);
  *seq = dh_take_seq();
  return thread;
}

void dh_release_end(struct dh_thread *thread, uint64_t seq, enum dh_op op, const void *object,
                    uint64_t extra, const void *caller) {
  dh_drain(thread);
  log_operation(thread, seq, op, object, extra, caller);
  dh_leave(thread);
}

void dh_log_sync(struct dh_thread *thread, enum dh_op op, const void *object, uint64_t extra,
                 const void *caller) {
  dh_drain(thread);
  log_operation(thread, dh_take_seq(), op, object, extra, caller);
}

void dh_log_memory(struct dh_thread *thread, enum dh_op op, uint64_t seq, const void *at,
                   size_t size, const void *caller) {
  uint64_t coded = size < DH_SIZE_PAGES ? size : DH_SIZE_PAGES | (size + 4095) / 4096;
  uint64_t words[] = {
      (uint64_t)DH_LOG_MEMORY | (uint64_t)op << 8 | seq << 16,
      ((uintptr_t)at & 0xffffffffffff) | coded << 48,
      ((uintptr_t)caller & 0xffffffffffff) | (coded >> 16) << 48,
  };
  dh_log(thread, words, 3);
}
