/* How accesses are written into a thread's log: in one word each, with the site said once. */
#ifndef DH_ACCESS_LOG_H
#define DH_ACCESS_LOG_H

#include "groups.h"
#include "log.h"

/* What the log's numbers for sites stand for now: heads of SITE records. */
struct dh_said_sites {
  uint64_t head[DH_LOG_SITES];
};

static inline void dh_log_access(struct dh_thread *thread, struct dh_said_sites *said,
                                 const struct dh_group_access *access, uint32_t site,
                                 uintptr_t address) {
  uint64_t head = DH_HEAD(DH_LOG_SITE, access->flags, access->size, site);
  uint64_t number = (site ^ site >> 8) % DH_LOG_SITES;
  if (__builtin_expect(said->head[number] != head, 0)) {
    uint64_t words[] = {head, number};
    dh_log(thread, words, 2);
    said->head[number] = head;
  }
  uint64_t word = DH_LOG_ACCESS | number << 8 | (uint64_t)address << 16;
  dh_log(thread, &word, 1);
}

static inline void dh_log_run(struct dh_thread *thread, const struct dh_group_access *access,
                              uint32_t site, uintptr_t first, uint64_t step, uint64_t count) {
  uint64_t words[] = {DH_HEAD(DH_LOG_RUN, access->flags, access->size, site), first, step, count};
  dh_log(thread, words, 4);
}

#endif
