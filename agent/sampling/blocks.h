/*
 * Blocks of memory that were allocated or freed: a word each, kept back until there are DH_BLOCKS_MAX of them or
 * the thread has something else to log. The time is taken for the first only.
 *
 * A block that a thread frees when it has logged nothing since it was allocated, and has taken no lock, is as if it
 * had never been: no sample of this thread has seen it, and it was not handed to another one and back. Programs
 * that allocate, use and free again are full of these.
 */
#ifndef DH_SAMPLING_BLOCKS_H
#define DH_SAMPLING_BLOCKS_H

#include "busy.h"
#include "thread.h"

#define DH_BLOCK_UNIT 16
#define DH_BLOCK_LARGE_UNIT 65536

/* For the first and the last of them, and while nothing is logged. */
void dh_block_slowly(uint64_t block);

DH_HOT void dh_block(uint64_t block) {
  struct dh_sampled_thread *thread = &dh_thread;
  uint32_t count = thread->blocks;
  if (DH_UNLIKELY(count - 1 >= DH_BLOCKS_MAX - 1 || thread->busy)) {
    dh_block_slowly(block);
    return;
  }
  thread->busy = dh_here();
  DH_BARRIER();
  thread->block[count] = block;
  thread->blocks = count + 1;
  thread->block_taken = thread->taken;
  DH_BARRIER();
  thread->busy = 0;
}

/*
 * The record has no room for the lowest bits of the address: a block that begins in the middle of a unit is told
 * from that unit's beginning, with all of its end. 32 bytes at 0x1008 are [0x1000, 0x1030), not [0x1000, 0x1020).
 * Two such blocks may begin in one unit, so that none is taken for the other when it is freed.
 */
DH_HOT uint64_t dh_block_of(const void *at, size_t size) {
  size += (uintptr_t)at % DH_BLOCK_UNIT;
  uint64_t units = (size + DH_BLOCK_UNIT - 1) / DH_BLOCK_UNIT;
  if (DH_UNLIKELY(units >= DH_BLOCK_LARGE)) {
    units = (size + DH_BLOCK_LARGE_UNIT - 1) / DH_BLOCK_LARGE_UNIT;
    units = DH_BLOCK_LARGE | (units < DH_BLOCK_LARGE ? units : DH_BLOCK_LARGE - 1);
  }
  return (uintptr_t)at >> 4 | units << DH_BLOCK_SIZE_SHIFT;
}

/*
 * A block that comes back at once, with the same size, is told once. Nothing was logged in between, so that no sample
 * of this thread is there, and others know only that it was renewed at some time between two of this thread's records:
 * how often makes no difference. Another one may have been freed meanwhile, as by a server that frees its answer and
 * then the request:
 *
 *   answer allocated · answer freed · request freed · answer allocated   →   request freed · answer allocated
 */
DH_HOT int dh_block_is_back(uint64_t block) {
  struct dh_sampled_thread *thread = &dh_thread;
  uint32_t count = thread->blocks;
  if (count < 3 || thread->busy)
    return 0;
  const uint64_t is_freed = 1ull << DH_BLOCK_FREED_SHIFT;
  const uint64_t freed = (block & (is_freed - 1)) | is_freed;
  uint64_t *end = &thread->block[count], last = end[-1];
  int others = last != freed;
  if (end[-1 - others] != freed || end[-2 - others] != block || !(last & is_freed))
    return 0;
  thread->busy = dh_here();
  DH_BARRIER();
  end[-2 - others] = last;
  end[-2] = block;
  thread->blocks = count - 1;
  thread->block_taken = thread->taken;
  DH_BARRIER();
  thread->busy = 0;
  return 1;
}

DH_HOT void dh_block_allocated(const void *at, size_t size) {
  uint64_t block = dh_block_of(at, size);
  if (!dh_block_is_back(block))
    dh_block(block);
  if (DH_UNLIKELY((uintptr_t)at % DH_BLOCK_UNIT != 0))
    dh_thread.block_taken = dh_thread.taken - 1;
}

/* Before it is given back: afterwards another thread may have it already. */
DH_HOT void dh_block_freed(const void *at) {
  struct dh_sampled_thread *thread = &dh_thread;
  uint32_t last = thread->blocks - 1;
  const uint64_t address_and_freed = (1ull << DH_BLOCK_SIZE_SHIFT) - 1;
  /* The first one stays, since it has the time. */
  if (last - 1 < DH_BLOCKS_MAX - 1 && !thread->busy && thread->block_taken == thread->taken &&
      (uintptr_t)at % DH_BLOCK_UNIT == 0 &&
      (thread->block[last] & address_and_freed) == (uintptr_t)at >> 4) {
    thread->blocks = last;
    return;
  }
  dh_block((uintptr_t)at >> 4 | 1ull << DH_BLOCK_FREED_SHIFT);
}

#endif
