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

#include "shadow.h"
#include "thread.h"

#define DH_RECENT 8192
#define DH_PRIVATE_LOG (64ul << 20) /* bytes */

/* In two words, so that each is read and written at once. */
struct dh_recent {
  uint64_t granule;
  uint64_t known; /* epoch + 1, so that 0 is none: 32 | its bytes that were read: 8 | written: 8 */
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

/* The same for memory that is not known to be shared. */
int dh_filter_is_wanted_yet(struct dh_thread *, struct dh_cells *, uintptr_t granule,
                            unsigned offset, unsigned flags, uint32_t site);
int dh_filter_passes_pieces(struct dh_filter *, struct dh_thread *, uintptr_t at, size_t size,
                            unsigned flags, uint32_t site);
/* Logs what of a range is worth it; `caller` if it was a call, else 0. */
void dh_filter_range(struct dh_filter *, struct dh_thread *, unsigned flags, uintptr_t at,
                     size_t length, uint32_t site, const void *caller);
void dh_filter_forget(struct dh_filter *);
/* This is other memory than it was: what is known of it in this epoch is about what is gone. */
void dh_filter_forget_range(struct dh_filter *, uintptr_t at, size_t size);

/* Around an atomic access: nobody else has one at the same address meanwhile, and it gets a number. */
void dh_order_begin(struct dh_filter *, struct dh_thread *);
void dh_order_end(struct dh_filter *, struct dh_thread *);
/* In the child of a fork: threads that were in the midst of an access are not there. */
void dh_order_forked(void);
/* A fault, or a cancellation, has come instead of the access: if it is still made, then out of order.
   The thread stays busy. */
void dh_order_abandon(struct dh_thread *);

static inline struct dh_recent *dh_recent_of(struct dh_filter *filter, uintptr_t granule) {
  return &filter->recent[(granule ^ granule >> 13) % DH_RECENT];
}

/* Notes that these bytes of a granule are known in this epoch; 0 if they were. */
DH_HOT int dh_filter_is_news(struct dh_filter *filter, const struct dh_thread *thread,
                             uintptr_t granule, unsigned bytes, unsigned flags) {
  struct dh_recent *recent = dh_recent_of(filter, granule);
  uint64_t epoch = ((uint64_t)thread->epoch + 1) << 16;
  uint64_t known = recent->known;
  if (recent->granule != granule || (known ^ epoch) >> 16 != 0)
    known = epoch;
  /* What was written here need not be read, too. */
  uint64_t covering = flags & DH_WRITE ? known : known | known >> 8;
  if (__builtin_expect((bytes & ~covering & 0xff) == 0, 0))
    return 0;
  recent->granule = granule;
  recent->known = known | (flags & DH_WRITE ? bytes : 0) | (flags & DH_READ ? bytes << 8 : 0);
  return 1;
}

/* Whether an access to a granule that was news to this thread is to be logged. */
DH_HOT int dh_filter_is_wanted(struct dh_thread *thread, uintptr_t granule, unsigned offset,
                               unsigned flags, uint32_t site) {
  struct dh_cells *cells = dh_shadow_at(granule);
  if (__builtin_expect(cells != NULL && (__atomic_load_n(&cells->last[0], __ATOMIC_RELAXED) &
                                         __atomic_load_n(&cells->last[1], __ATOMIC_RELAXED)) ==
                                            DH_SHARED,
                       1))
    return 1;
  return dh_filter_is_wanted_yet(thread, cells, granule, offset, flags, site);
}

/* By size and offset in the granule: which of its bytes these are; 0 if not all of them are its own. */
extern const uint8_t dh_bytes_of[9][8] DH_HIDDEN;

/* Whether an access is to be logged. */
DH_HOT int dh_filter_passes(struct dh_filter *filter, struct dh_thread *thread, uintptr_t at,
                            size_t size, unsigned flags, uint32_t site) {
  uintptr_t granule = at >> 3;
  unsigned offset = at & 7;
  unsigned bytes = size <= 8 ? dh_bytes_of[size][offset] : 0;
  if (__builtin_expect(bytes == 0, 0))
    return dh_filter_passes_pieces(filter, thread, at, size, flags, site);
  return dh_filter_is_news(filter, thread, granule, bytes, flags) &&
         dh_filter_is_wanted(thread, granule, offset, flags, site);
}

#endif
