#include "busy.h"

/*
 * What was being logged is lost, and the thread says so. The part of it that was written already is taken back: the next
 * record may be shorter, and what is behind it must not look like another one.
 */
static void forget(struct dh_sampled_thread *thread) {
  uint64_t *end = thread->log_at + DH_SAMPLED_MEMORY_WORDS + DH_BLOCKS_MAX;
  if (thread->log_window != NULL)
    for (uint64_t *at = thread->log_at; at < end && at < thread->log_end; at++)
      *at = 0;
  thread->blocks = 0;
  thread->has_gap = 1;
  thread->busy = 0;
}

int dh_is_busy(struct dh_sampled_thread *thread, uintptr_t stack_pointer) {
  uintptr_t frame = thread->busy;
  int is_known = thread->stack != 0 && frame >= thread->stack && frame < thread->stack_end;
  if (is_known && stack_pointer > frame && stack_pointer <= thread->stack_end)
    forget(thread);
  return thread->busy != 0;
}
