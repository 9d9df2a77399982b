#include "blocks.h"

#include "log.h"

void dh_block_slowly(uint64_t block) {
  struct dh_sampled_thread *thread = &dh_thread;
  if (dh_control == NULL || dh_log_stays_off(thread) ||
      (dh_control->options & DH_SAMPLING_NO_ALLOCATIONS))
    return;
  if (DH_IS_BUSY(thread)) {
    thread->has_gap = 1;
    return;
  }
  thread->busy = dh_here();
  DH_BARRIER();
  if (dh_log_is_on(thread)) {
    dh_log_blocks(thread);
    thread->block[0] = block;
    thread->block_time = dh_now();
    thread->blocks = thread->is_logging;
  }
  DH_BARRIER();
  thread->busy = 0;
}
