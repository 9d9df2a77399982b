/*
 * Allocations that are not logged yet, perhaps never will be: a block that is freed before a second
 * thread has touched it leaves no trace. Each thread keeps back its latest ones, in a table indexed
 * by address. An allocation that must make room for another is logged, with the number it would have
 * had: it stands later in the log than it happened, and its number says when that was.
 */
#ifndef DH_ALLOCATIONS_H
#define DH_ALLOCATIONS_H

#include "log.h"
#include "syscalls.h"

#define DH_ALLOCATIONS 512 /* a power of two */

struct dh_allocation {
  const void *at; /* NULL: none */
  size_t size;
  const void *caller;
  uint64_t seq;
};

static inline struct dh_allocation *dh_allocation_slot(struct dh_thread *thread, const void *at) {
  uintptr_t key = (uintptr_t)at >> 4;
  return &thread->allocations[(key ^ key >> 9) % DH_ALLOCATIONS];
}

static inline void dh_log_allocation(struct dh_thread *thread, const struct dh_allocation *one) {
  dh_log_memory(thread, DH_OP_ALLOCATE, one->seq, one->at, one->size, one->caller);
}

static inline void dh_allocation_begins(struct dh_thread *thread, const void *at, size_t size,
                                        const void *caller) {
  struct dh_allocation *slot = dh_allocation_slot(thread, at);
  if (slot->at != NULL)
    dh_log_allocation(thread, slot);
  *slot = (struct dh_allocation){at, size, caller, dh_coming_seq()};
}

static inline void dh_allocation_ends(struct dh_thread *thread, const void *at, size_t size,
                                      int shared, const void *caller) {
  struct dh_allocation *slot = dh_allocation_slot(thread, at);
  if (slot->at == at) {
    if (shared)
      dh_log_allocation(thread, slot);
    slot->at = NULL;
  }
  if (shared)
    dh_log_memory(thread, DH_OP_FREE, dh_take_seq(), at, size, caller);
}

/* All that were kept back, at the end of a thread or of the process. */
static inline void dh_log_allocations(struct dh_thread *thread) {
  for (int i = 0; i < DH_ALLOCATIONS; i++)
    if (thread->allocations[i].at != NULL) {
      dh_log_allocation(thread, &thread->allocations[i]);
      thread->allocations[i].at = NULL;
    }
}

#endif
