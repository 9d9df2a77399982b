#include "filter.h"

#include "accesses.h"
#include "log.h"
#include "syscalls.h"
#include "shadow.h"

/* ---- what all threads share ---- */

/* Addresses share these; taken for the length of one instruction. */
#define STRIPES 1024
static struct {
  uint32_t taken;
  uint32_t padding;
  uint64_t version; /* atomic writes so far */
} stripes[STRIPES];

/* ---- one granule ---- */

static void log_earlier(struct dh_thread *thread, uintptr_t granule, uint64_t cell, int which) {
  unsigned flags = which == DH_CELL_WRITE ? DH_WRITE : DH_READ;
  uint64_t words[] = {DH_HEAD(DH_LOG_EARLIER, flags, 0, dh_cell_thread(cell)),
                      granule << 3 | dh_cell_offset(cell),
                      (uint64_t)dh_cell_site(cell) << 32 | dh_cell_epoch(cell)};
  dh_log(thread, words, 3);
}

/* From now on all accesses to it are logged. */
static void make_shared(struct dh_thread *thread, uintptr_t granule, struct dh_cells *cells) {
  for (int which = 0; which < 2; which++) {
    uint64_t last = __atomic_exchange_n(&cells->last[which], DH_SHARED, __ATOMIC_ACQ_REL);
    if (last != 0 && last != DH_SHARED && !dh_cell_logged(last))
      log_earlier(thread, granule, last, which);
  }
}

static int is_others(uint64_t cell, uint32_t thread) {
  return cell != 0 && dh_cell_thread(cell) != thread;
}

static int logs_private(const struct dh_thread *thread) {
  return dh_logged(thread) < DH_PRIVATE_LOG;
}

/* Nobody else has touched it: this thread says that it has. 0: another has come in between. */
static int claim(struct dh_cells *cells, uint64_t read, uint64_t written,
                 uint64_t mine, unsigned flags) {
  return (!(flags & DH_READ) ||
          __atomic_compare_exchange_n(&cells->last[DH_CELL_READ], &read, mine, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) &&
         (!(flags & DH_WRITE) ||
          __atomic_compare_exchange_n(&cells->last[DH_CELL_WRITE], &written, mine, 0,
                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

int dh_filter_is_wanted_yet(struct dh_thread *thread, struct dh_cells *cells, uintptr_t granule,
                            unsigned offset, unsigned flags, uint32_t site) {
  if (cells == NULL)
    return 1;
  uint64_t read = __atomic_load_n(&cells->last[DH_CELL_READ], __ATOMIC_ACQUIRE);
  uint64_t written = __atomic_load_n(&cells->last[DH_CELL_WRITE], __ATOMIC_ACQUIRE);
  if ((read & written) == DH_SHARED)
    return 1;
  int logs = logs_private(thread);
  uint64_t mine = dh_cell(thread->number, logs, offset, site, thread->epoch);
  if (!is_others(read, thread->number) && !is_others(written, thread->number) &&
      thread->number < DH_CELL_THREADS && claim(cells, read, written, mine, flags))
    return logs;
  make_shared(thread, granule, cells);
  return 1;
}

/* ---- accesses ---- */

const uint8_t dh_bytes_of[9][8] = {
    {0},
    {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80},
    {0x03, 0x06, 0x0c, 0x18, 0x30, 0x60, 0xc0},
    {0x07, 0x0e, 0x1c, 0x38, 0x70, 0xe0},
    {0x0f, 0x1e, 0x3c, 0x78, 0xf0},
    {0x1f, 0x3e, 0x7c, 0xf8},
    {0x3f, 0x7e, 0xfc},
    {0x7f, 0xfe},
    {0xff},
};

int dh_filter_passes_pieces(struct dh_filter *filter, struct dh_thread *thread, uintptr_t at,
                            size_t size, unsigned flags, uint32_t site) {
  int passes = 0;
  for (uintptr_t end = at + size; at < end;) {
    uintptr_t granule = at >> 3;
    unsigned offset = at & 7;
    unsigned length = end - at < 8 - offset ? end - at : 8 - offset;
    unsigned bytes = ((1u << length) - 1) << offset;
    if (dh_filter_is_news(filter, thread, granule, bytes, flags))
      passes |= dh_filter_is_wanted(thread, granule, offset, flags, site);
    at += length;
  }
  return passes;
}

static void log_range(struct dh_thread *thread, unsigned flags, uintptr_t at, size_t length,
                      uint32_t site, const void *caller) {
  if (length == 0)
    return;
  uint64_t words[] = {DH_HEAD(DH_LOG_RANGE, flags, 0, site), at, length, (uintptr_t)caller};
  dh_log(thread, words, 4);
}

void dh_filter_range(struct dh_filter *filter, struct dh_thread *thread, unsigned flags,
                     uintptr_t at, size_t length, uint32_t site, const void *caller) {
  uintptr_t first = at;
  for (uintptr_t end = at + length; at < end;) {
    unsigned offset = at & 7;
    unsigned piece = end - at < 8 - offset ? end - at : 8 - offset;
    if (!dh_filter_passes(filter, thread, at, piece, flags, site)) {
      log_range(thread, flags, first, at - first, site, caller);
      first = at + piece;
    }
    at += piece;
  }
  log_range(thread, flags, first, at - first, site, caller);
}

void dh_filter_forget(struct dh_filter *filter) {
  for (int i = 0; i < DH_RECENT; i++)
    filter->recent[i].known = 0;
  for (int i = 0; i < DH_POLLED; i++)
    filter->polled[i].address = 0;
  /* Threads that are not in the child of a fork may have been in the middle of an access. */
  for (int i = 0; i < STRIPES; i++)
    stripes[i].taken = 0;
}

void dh_filter_forget_range(struct dh_filter *filter, uintptr_t at, size_t size) {
  if (size == 0)
    return;
  if (size / 8 >= DH_RECENT) {
    dh_filter_forget(filter);
    return;
  }
  for (uintptr_t granule = at >> 3; granule <= (at + size - 1) >> 3; granule++) {
    struct dh_recent *recent = dh_recent_of(filter, granule);
    if (recent->granule == granule)
      recent->known = 0;
  }
}

/* ---- the order of atomic accesses ---- */

#define SPINS_BEFORE_YIELD 100
#define YIELDS 10000

static unsigned stripe_of(uintptr_t address) { return (address >> 3 ^ address >> 13) % STRIPES; }

void dh_order_begin(struct dh_filter *filter, struct dh_thread *thread) {
  (void)thread;
  uint32_t *taken = &stripes[stripe_of(filter->ordered.address)].taken;
  filter->ordered.is_locked = 0;
  /* Who has it makes one access; if that takes this long, it has come to harm, and order with it. */
  for (int yields = 0; yields < YIELDS; yields++) {
    for (int spins = 0; spins < SPINS_BEFORE_YIELD; spins++) {
      if (__atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE) == 0) {
        filter->ordered.is_locked = 1;
        return;
      }
      __builtin_ia32_pause();
    }
    DH_SYSCALL(SYS_sched_yield, 0, 0, 0, 0);
  }
  /* Nor will it let go: this thread does, so that nobody else has to wait as long. */
  filter->ordered.is_locked = 1;
}

void dh_order_forked(void) {
  for (int i = 0; i < STRIPES; i++)
    stripes[i].taken = 0;
}

static uint64_t value_at(uintptr_t address, size_t size) {
  switch (size) {
  case 1:
    return *(volatile uint8_t *)address;
  case 2:
    return *(volatile uint16_t *)address;
  case 4:
    return *(volatile uint32_t *)address;
  case 8:
    return *(volatile uint64_t *)address;
  default:
    return 0;
  }
}

/*
 * Whether this atomic access tells the same as the last one of this address: it reads, and nothing has
 * changed since. Values count, too: whoever writes may do so by a plain store that nobody has ordered.
 * What was written is not looked at: it may have told another thread to unmap the memory.
 */
static int is_poll(struct dh_filter *filter, const struct dh_ordered *ordered, uint64_t version) {
  unsigned place = (ordered->address >> 3) % DH_POLLED;
  if (ordered->flags & DH_WRITE) {
    filter->polled[place].address = 0;
    return 0;
  }
  uint64_t value = value_at(ordered->address, ordered->size);
  int is_old = filter->polled[place].address == ordered->address &&
               filter->polled[place].version == version && filter->polled[place].value == value;
  filter->polled[place].address = ordered->address;
  filter->polled[place].version = version;
  filter->polled[place].value = value;
  return is_old;
}

void dh_order_end(struct dh_filter *filter, struct dh_thread *thread) {
  struct dh_ordered *ordered = &filter->ordered;
  unsigned stripe = stripe_of(ordered->address);
  int writes = ordered->flags & DH_WRITE;
  uint64_t version = writes ? ++stripes[stripe].version : stripes[stripe].version;
  uint64_t seq = dh_next_seq;
  int is_news = !is_poll(filter, ordered, version);
  if (is_news)
    seq = dh_take_seq();
  if (ordered->is_locked)
    __atomic_store_n(&stripes[stripe].taken, 0, __ATOMIC_RELEASE);
  ordered->is_locked = 0;
  if (!is_news)
    return;
  struct dh_cells *cells = dh_shadow_at(ordered->address >> 3);
  if (cells != NULL && cells->last[DH_CELL_WRITE] != DH_SHARED)
    make_shared(thread, ordered->address >> 3, cells);
  uint64_t words[] = {DH_HEAD(DH_LOG_ATOMIC, ordered->flags, ordered->size, ordered->site), seq,
                      ordered->address};
  dh_log(thread, words, 3);
  thread->epoch++;
}

void dh_order_abandon(struct dh_thread *thread) {
  struct dh_filter *filter = thread->accesses;
  if (filter == NULL || !filter->ordered.is_locked)
    return;
  __atomic_store_n(&stripes[stripe_of(filter->ordered.address)].taken, 0, __ATOMIC_RELEASE);
  filter->ordered.is_locked = 0;
}
