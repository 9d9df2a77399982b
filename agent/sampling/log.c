#define _GNU_SOURCE
#include "log.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "../log-file.h"
#include "../process.h"
#include "../syscalls.h"
#include "blocks.h"
#include "folder.h"

static struct dh_log_header *header_of(const struct dh_sampled_thread *thread) {
  return (struct dh_log_header *)thread->log_window;
}

static uint64_t *first_record(const struct dh_sampled_thread *thread) {
  return (uint64_t *)(header_of(thread) + 1);
}

static uint64_t *end_of(const struct dh_sampled_thread *thread, uint64_t bytes) {
  return (uint64_t *)(thread->log_window + bytes) - DH_LOG_LAST_WORDS;
}

static void append(struct dh_sampled_thread *thread, const uint64_t *words, int count) {
  uint64_t *at = thread->log_at;
  for (int i = count - 1; i > 0; i--)
    at[i] = words[i];
  __atomic_store_n(at, words[0], __ATOMIC_RELEASE);
  thread->log_at = at + count;
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now = {0};
  DH_SYSCALL(SYS_clock_gettime, clock, &now, 0, 0);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t dh_processor_ns(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

static void append_clock(struct dh_sampled_thread *thread) {
  uint64_t words[] = {DH_SAMPLED_CLOCK, dh_now(), nanoseconds(CLOCK_MONOTONIC),
                      dh_processor_ns()};
  append(thread, words, DH_SAMPLED_CLOCK_WORDS);
}

/* At the end of logging there is always room for it: DH_LOG_LAST_WORDS. */
static void append_switch(struct dh_sampled_thread *thread, uint64_t on, uint64_t time) {
  uint64_t words[] = {DH_SAMPLED_SWITCH | on << 8, time};
  append(thread, words, DH_SAMPLED_SWITCH_WORDS);
}

/* Nobody is logged from here on: what the others did would not be known. */
static void stop(enum dh_problem_kind what, long error) {
  if (!__atomic_exchange_n(&dh_process.log_stopped, 1, __ATOMIC_RELAXED))
    dh_problem(what, 0, (int)-error, dh_process.folder);
}

/* Counts what the logs take up. */
static void note_growth(uint64_t bytes) {
  uint64_t logged = __atomic_add_fetch(&dh_control->logged, bytes, __ATOMIC_RELAXED);
  if (logged > dh_control->max_log)
    stop(DH_PROBLEM_LOG_LIMIT, 0);
}

static void turn_off(struct dh_sampled_thread *thread) {
  thread->is_logging = 0;
  thread->blocks = 0; /* nobody will ask: nothing is known of what comes now */
  append_clock(thread);
  append_switch(thread, 0, dh_now());
}

static void write_header(struct dh_sampled_thread *thread) {
  struct dh_log_header *header = header_of(thread);
  header->protocol = DH_PROTOCOL;
  header->process = dh_process.number;
  header->pid = dh_process.pid;
  header->tid = thread->tid;
  header->thread = thread->number;
  header->time = nanoseconds(CLOCK_MONOTONIC);
  DH_SYSCALL(SYS_prctl, 16 /* PR_GET_NAME */, header->name, 0, 0);
  __atomic_store_n(&header->magic, DH_LOG_MAGIC, __ATOMIC_RELEASE);
}

static void append_base(struct dh_sampled_thread *thread) {
  uint64_t fs = 0, gs = 0;
  DH_SYSCALL(SYS_arch_prctl, 0x1003 /* ARCH_GET_FS */, &fs, 0, 0);
  DH_SYSCALL(SYS_arch_prctl, 0x1004 /* ARCH_GET_GS */, &gs, 0, 0);
  uint64_t words[] = {DH_SAMPLED_BASE, fs, gs, thread->stack, thread->stack_end};
  append(thread, words, DH_SAMPLED_BASE_WORDS);
}

static int open_log(struct dh_sampled_thread *thread) {
  long fd = dh_folder_open(thread->number, O_CREAT | O_EXCL);
  long at = dh_failed(fd) ? fd : dh_log_reserve(fd, 0, DH_LOG_FIRST_PART);
  if (!dh_failed(at))
    at = dh_syscall6(SYS_mmap, 0, DH_LOG_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (!dh_failed(fd))
    DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  if (dh_failed(at)) {
    stop(DH_PROBLEM_LOG_STOPPED, at);
    return 0;
  }
  thread->log_window = (char *)at;
  thread->log_at = first_record(thread);
  thread->log_end = end_of(thread, DH_LOG_FIRST_PART);
  write_header(thread);
  append_base(thread);
  note_growth(DH_LOG_WINDOW);
  return !dh_process.log_stopped;
}

static void clear(uint64_t *words, uint64_t count) {
  __asm__ volatile("rep stosq" : "+D"(words), "+c"(count) : "a"(0) : "memory");
}

/* 0, or a negative errno value. */
static long flush(struct dh_sampled_thread *thread) {
  long fd = dh_folder_open(thread->number, 0);
  if (dh_failed(fd))
    return fd;
  struct dh_log_header *header = header_of(thread);
  uint64_t used = (uint64_t)((char *)thread->log_at - (char *)first_record(thread));
  int has_all = thread->log_end == end_of(thread, DH_LOG_WINDOW);
  long result = has_all ? dh_log_write(fd, first_record(thread), used, DH_LOG_WINDOW + header->flushed)
                        : dh_log_reserve(fd, DH_LOG_FIRST_PART, DH_LOG_WINDOW);
  DH_SYSCALL(SYS_close, fd, 0, 0, 0);
  if (result != 0)
    return result;
  thread->log_end = end_of(thread, DH_LOG_WINDOW);
  if (!has_all)
    return 0;
  __atomic_store_n(&header->flushed, header->flushed + used, __ATOMIC_RELEASE);
  clear(first_record(thread), used / sizeof(uint64_t));
  __atomic_store_n(&header->window_start, header->flushed, __ATOMIC_RELEASE);
  thread->log_at = first_record(thread);
  note_growth(used);
  return 0;
}

/* A handler of the program that leaves by a jump must not leave files half made, or written twice. */
static uint64_t change_mask(int how, uint64_t mask) {
  uint64_t before = 0;
  DH_SYSCALL(SYS_rt_sigprocmask, how, &mask, &before, sizeof mask);
  return before;
}

static uint64_t *room(struct dh_sampled_thread *thread, uint32_t words) {
  while (DH_UNLIKELY(thread->log_end - thread->log_at < (long)words)) {
    uint64_t mask = change_mask(SIG_BLOCK, ~(uint64_t)0);
    long error = flush(thread);
    change_mask(SIG_SETMASK, mask);
    if (error != 0)
      stop(DH_PROBLEM_LOG_STOPPED, error);
    if (dh_process.log_stopped) {
      turn_off(thread);
      return NULL;
    }
  }
  return thread->log_at;
}

void dh_log_beginning(struct dh_sampled_thread *thread, enum dh_op op, const void *object,
                      uint64_t extra) {
  int on = __atomic_load_n(&dh_control->on, __ATOMIC_RELAXED);
  thread->beginning[1] = dh_now();
  thread->beginning[2] = (uintptr_t)object;
  thread->beginning[3] = extra;
  thread->beginning[0] = on ? DH_SAMPLED_SYNC | (uint64_t)op << 8 : 0;
}

/* The stack was perhaps another thread's before. */
static void append_stack(struct dh_sampled_thread *thread) {
  uint64_t size =
      (thread->stack_end - thread->stack + DH_BLOCK_LARGE_UNIT - 1) / DH_BLOCK_LARGE_UNIT;
  uint64_t words[] = {DH_SAMPLED_MEMORY | 1 << 16, thread->beginning[1],
                      thread->stack >> 4 | (DH_BLOCK_LARGE | size) << DH_BLOCK_SIZE_SHIFT};
  append(thread, words, DH_SAMPLED_MEMORY_WORDS + 1);
}

/* As if it had been logged from its beginning: until now there was nothing to log. */
static void append_beginning(struct dh_sampled_thread *thread) {
  append_switch(thread, 1, thread->beginning[1]);
  append(thread, thread->beginning, DH_SAMPLED_SYNC_WORDS);
  int is_new = thread->beginning[0] == (DH_SAMPLED_SYNC | DH_OP_BEGIN << 8) && thread->beginning[3] == 1;
  if (is_new && thread->stack != 0)
    append_stack(thread);
  thread->beginning[0] = 0;
}

#define FIRST_WORDS                                                                                \
  (DH_SAMPLED_SWITCH_WORDS + DH_SAMPLED_SYNC_WORDS + DH_SAMPLED_MEMORY_WORDS + 1 + DH_SAMPLED_CLOCK_WORDS)

static int open_undisturbed(struct dh_sampled_thread *thread) {
  uint64_t mask = change_mask(SIG_BLOCK, ~(uint64_t)0);
  int result = open_log(thread);
  change_mask(SIG_SETMASK, mask);
  return result;
}

static int turn_on(struct dh_sampled_thread *thread) {
  if ((thread->log_window == NULL && !open_undisturbed(thread)) || room(thread, FIRST_WORDS) == NULL)
    return 0;
  if (thread->beginning[0] != 0)
    append_beginning(thread);
  else
    append_switch(thread, 1, dh_now());
  append_clock(thread);
  thread->has_gap = 0;
  return thread->is_logging = 1;
}

int dh_log_is_on(struct dh_sampled_thread *thread) {
  if (DH_UNLIKELY(dh_fork_mark.owner == 0))
    dh_process_forked();
  if (DH_UNLIKELY(thread->state != DH_THREAD_LIVE)) {
    if (thread->state == DH_THREAD_ENDED)
      return 0;
    dh_thread_begin(0, 0, 0);
  }
  int on = __atomic_load_n(&dh_control->on, __ATOMIC_RELAXED) && !dh_process.log_stopped &&
           thread->number != 0;
  if (thread->is_logging && (!on || DH_UNLIKELY(thread->has_gap))) {
    dh_log_blocks(thread);
    if (thread->is_logging)
      turn_off(thread);
  }
  if (!on)
    thread->beginning[0] = 0; /* what it does now is not known */
  return thread->is_logging || (on && turn_on(thread));
}

void dh_log_blocks(struct dh_sampled_thread *thread) {
  uint32_t count = thread->blocks;
  if (count == 0)
    return;
  thread->blocks = 0;
  uint64_t *at = room(thread, DH_SAMPLED_MEMORY_WORDS + count);
  if (at == NULL)
    return;
  at[1] = thread->block_time;
  for (uint32_t i = 0; i < count; i++)
    at[DH_SAMPLED_MEMORY_WORDS + i] = thread->block[i];
  __atomic_store_n(at, DH_SAMPLED_MEMORY | (uint64_t)count << 16, __ATOMIC_RELEASE);
  thread->log_at = at + DH_SAMPLED_MEMORY_WORDS + count;
  thread->allocations += count;
}

uint64_t *dh_log_room(struct dh_sampled_thread *thread, uint32_t words) {
  dh_log_blocks(thread);
  return thread->is_logging ? room(thread, words) : NULL;
}

void dh_log_clock(struct dh_sampled_thread *thread) {
  if (dh_log_room(thread, DH_SAMPLED_CLOCK_WORDS) != NULL)
    append_clock(thread);
}

void dh_log_close(struct dh_sampled_thread *thread) {
  if (thread->log_window == NULL)
    return;
  if (thread->is_logging)
    dh_log_clock(thread);
  dh_log_counts(thread);
  thread->is_logging = 0;
  dh_unmap(thread->log_window, DH_LOG_WINDOW);
  thread->log_window = NULL;
}

void dh_log_forget(struct dh_sampled_thread *thread) {
  if (thread->log_window != NULL)
    dh_unmap(thread->log_window, DH_LOG_WINDOW);
  thread->log_window = NULL;
  thread->is_logging = 0;
  thread->blocks = thread->taken = thread->allocations = thread->silent_syncs = thread->syncs = 0;
}

void dh_log_counts(struct dh_sampled_thread *thread) {
  /* What was taken is let go as well. */
  __atomic_fetch_add(&dh_control->lock_operations, 2ull * thread->taken, __ATOMIC_RELAXED);
  __atomic_fetch_add(&dh_control->allocations, thread->allocations, __ATOMIC_RELAXED);
  __atomic_fetch_add(&dh_control->silent_syncs, thread->silent_syncs, __ATOMIC_RELAXED);
  __atomic_fetch_add(&dh_control->syncs, thread->syncs, __ATOMIC_RELAXED);
  thread->taken_before += thread->taken;
  thread->taken = thread->allocations = thread->silent_syncs = thread->syncs = 0;
}
