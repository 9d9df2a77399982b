/* How accesses are written into a thread's log: in one word each, with the site said once. */
#ifndef DH_ACCESS_LOG_H
#define DH_ACCESS_LOG_H

#include "groups.h"
#include "log.h"

/* What the log has said that further records go by. */
struct dh_said {
  const struct dh_group_access *site[DH_LOG_SITES]; /* of SITE records, by their numbers */
  uintptr_t last;  /* address of the last access */
  uintptr_t other; /* of the last one before that from which the next was far */
  uint64_t half;   /* what becomes a PAIR with the next access, in the place of the last one … */
  uint64_t *end;   /* … if the log still ends here; NULL: nothing does */
};

/* Whether a distance can be told in 20 bits. */
static inline int dh_is_near(uint64_t distance) { return distance + (1 << 19) < 1 << 20; }

/* Says what site a number stands for from here on. */
void dh_log_site(struct dh_thread *, struct dh_said *, uint64_t number,
                 const struct dh_group_access *, uint32_t site);
/* Where there is no room. */
void dh_log_access_slowly(struct dh_thread *, struct dh_said *, uint64_t number, uintptr_t address);

DH_HOT void dh_log_access(struct dh_thread *thread, struct dh_said *said,
                          const struct dh_group_access *access, uint32_t site, uintptr_t address) {
  uint64_t number = (site ^ site >> 8) % DH_LOG_SITES;
  if (__builtin_expect(said->site[number] != access, 0))
    dh_log_site(thread, said, number, access, site);
  uint64_t distance = address - said->last;
  uint64_t kind = DH_LOG_PAIR;
  int is_near = dh_is_near(distance);
  if (!is_near) {
    distance = address - said->other;
    is_near = dh_is_near(distance);
    kind = DH_LOG_PAIR_FROM_OTHER;
    said->other = said->last;
  }
  said->last = address;
  uint64_t *at = thread->log_at;
  /* A log that could not be opened, for want of room, ends at NULL, too. */
  if (is_near && said->end != NULL && at == said->end) {
    uint64_t second = (kind - DH_LOG_PAIR) << 1 | number << 16 | distance << 44;
    __atomic_store_n(at - 1, said->half + second, __ATOMIC_RELEASE);
    said->end = NULL;
    return;
  }
  if (__builtin_expect(thread->log_end == at, 0)) {
    dh_log_access_slowly(thread, said, number, address);
    return;
  }
  __atomic_store_n(at, DH_LOG_ACCESS | number << 8 | (uint64_t)address << 16, __ATOMIC_RELEASE);
  thread->log_at = at + 1;
  said->half = kind | number << 8 | (distance & 0xfffff) << 24;
  said->end = is_near ? at + 1 : NULL;
}

static inline void dh_log_run(struct dh_thread *thread, const struct dh_group_access *access,
                              uint32_t site, uintptr_t first, uint64_t step, uint64_t count) {
  uint64_t words[] = {DH_HEAD(DH_LOG_RUN, access->flags, access->size, site), first, step, count};
  dh_log(thread, words, 4);
}

#endif
