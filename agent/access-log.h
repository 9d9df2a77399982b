/* How accesses are written into a thread's log: in one word each, with the site said once. */
#ifndef DH_ACCESS_LOG_H
#define DH_ACCESS_LOG_H

#include "groups.h"
#include "log.h"

/* What the log has said that further records go by. */
struct dh_said {
  uint64_t site[DH_LOG_SITES]; /* heads of SITE records, by their numbers */
  uintptr_t last;              /* address of the last access, and of the one before */
  uintptr_t before;
  uint64_t number; /* of the last one's site */
  uint64_t *end;   /* where the log ended when it had just been written, by itself; NULL: as half of a pair */
};

/* Whether a distance can be told in 20 bits. */
static inline int dh_is_near(uint64_t distance) { return distance + (1 << 19) < 1 << 20; }

static inline void dh_log_access(struct dh_thread *thread, struct dh_said *said,
                                 const struct dh_group_access *access, uint32_t site,
                                 uintptr_t address) {
  uint64_t head = DH_HEAD(DH_LOG_SITE, access->flags, access->size, site);
  uint64_t number = (site ^ site >> 8) % DH_LOG_SITES;
  if (__builtin_expect(said->site[number] != head, 0)) {
    uint64_t words[] = {head, number};
    dh_log(thread, words, 2);
    said->site[number] = head;
  }
  uint64_t first = said->last - said->before, second = address - said->last;
  said->before = said->last;
  said->last = address;
  /* A log that could not be opened, for want of room, ends at NULL, too. */
  if (said->end != NULL && thread->log_at == said->end && dh_is_near(first) && dh_is_near(second)) {
    uint64_t pair = DH_LOG_PAIR | said->number << 8 | number << 16 | (first & 0xfffff) << 24 |
                    second << 44;
    __atomic_store_n(thread->log_at - 1, pair, __ATOMIC_RELEASE);
    said->end = NULL;
    return;
  }
  const uint64_t *end = thread->log_at;
  uint64_t word = DH_LOG_ACCESS | number << 8 | (uint64_t)address << 16;
  dh_log(thread, &word, 1);
  said->number = number;
  /* There may have been no room. */
  said->end = thread->log_at == end ? NULL : thread->log_at;
}

static inline void dh_log_run(struct dh_thread *thread, const struct dh_group_access *access,
                              uint32_t site, uintptr_t first, uint64_t step, uint64_t count) {
  uint64_t words[] = {DH_HEAD(DH_LOG_RUN, access->flags, access->size, site), first, step, count};
  dh_log(thread, words, 4);
}

#endif
