/*
 * Which accesses are worth a place in the log: one of each thread, location and epoch, and only of memory
 * that more than one thread has touched.
 *
 * The first is decided by a table of what this thread has touched lately; a location that was pushed out of
 * it may be logged twice. The second by the cells of shadow.h. As nobody knows of the first thread to touch
 * some memory whether it will be the only one, its accesses are logged, too, as long as the log is short
 * (DH_PRIVATE_LOG): the trace is made without them if no other thread comes. In a longer log they are not.
 * When another thread does come, it says in its own log who has touched the memory before it, and when
 * (DH_LOG_EARLIER), and so the last read and the last write are known, but no earlier ones.
 */
#ifndef DH_FILTER_H
#define DH_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "thread.h"

#define DH_RECENT 8192
#define DH_PRIVATE_LOG (64ul << 20) /* bytes */

struct dh_recent {
  uint64_t granule;
  uint32_t epoch; /* one more, so that 0 is none */
  uint8_t read, written; /* of its bytes, as bits */
};

/* An atomic access under way. */
struct dh_ordered {
  uintptr_t address;
  uint16_t size;
  uint16_t flags;
  uint32_t site;
  int is_locked;
};

#define DH_POLLED 8

struct dh_filter {
  struct dh_recent recent[DH_RECENT];
  struct dh_ordered ordered;
  /* What was read last by atomic reads: while nobody writes, reading it again is no news. */
  struct {
    uintptr_t address;
    uint64_t version;
    uint64_t value;
  } polled[DH_POLLED];
};

int dh_filter_passes_slowly(struct dh_filter *, struct dh_thread *, uintptr_t at, size_t size,
                            unsigned flags, uint32_t site);
/* Logs what of a range is worth it; `caller` if it was a call, else 0. */
void dh_filter_range(struct dh_filter *, struct dh_thread *, unsigned flags, uintptr_t at,
                     size_t length, uint32_t site, const void *caller);
void dh_filter_forget(struct dh_filter *);

/* Around an atomic access: nobody else has one at the same address meanwhile, and it gets a number. */
void dh_order_begin(struct dh_filter *, struct dh_thread *);
void dh_order_end(struct dh_filter *, struct dh_thread *);
/* The access was not made: it ended in a signal. */
void dh_order_abandon(struct dh_thread *);

static inline struct dh_recent *dh_recent_of(struct dh_filter *filter, uintptr_t granule) {
  return &filter->recent[(granule ^ granule >> 13) % DH_RECENT];
}

/* Whether an access is to be logged. */
static inline int dh_filter_passes(struct dh_filter *filter, struct dh_thread *thread, uintptr_t at,
                                   size_t size, unsigned flags, uint32_t site) {
  uintptr_t granule = at >> 3;
  unsigned offset = at & 7;
  if (__builtin_expect(offset + size <= 8, 1)) {
    struct dh_recent *recent = dh_recent_of(filter, granule);
    if (recent->granule == granule && recent->epoch == thread->epoch + 1) {
      unsigned bytes = ((1u << size) - 1) << offset;
      unsigned known = flags & DH_WRITE ? recent->written : recent->written | recent->read;
      if ((bytes & ~known) == 0)
        return 0;
    }
  }
  return dh_filter_passes_slowly(filter, thread, at, size, flags, site);
}

#endif
