/* Accesses to memory, before there is a filter: ranges are logged as they come. */
#include "accesses.h"

#include "log.h"

void dh_drain(struct dh_thread *thread) {
  if (thread->state == DH_THREAD_NEW && !dh_thread_start(thread, 0))
    return;
  thread->cursor = thread->undrained = thread->buffer;
}

void dh_range(struct dh_thread *thread, int write, const void *at, size_t length,
              const void *caller) {
  uint64_t words[] = {DH_HEAD(DH_LOG_RANGE, write ? DH_WRITE : DH_READ, 0, 0), (uintptr_t)at,
                      length, (uintptr_t)caller};
  dh_log(thread, words, 4);
}

void dh_memory_fresh(const void *at, size_t size) {
  (void)at;
  (void)size;
}

int dh_memory_was_shared(const void *at, size_t size) {
  (void)at;
  (void)size;
  return 1;
}

void dh_accesses_start(struct dh_thread *thread) { (void)thread; }
void dh_accesses_end(struct dh_thread *thread) { (void)thread; }
void dh_accesses_forked(struct dh_thread *thread) { (void)thread; }
