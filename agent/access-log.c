#include "access-log.h"

void dh_log_site(struct dh_thread *thread, struct dh_said *said, uint64_t number,
                 const struct dh_group_access *access, uint32_t site) {
  uint64_t words[] = {DH_HEAD(DH_LOG_SITE, access->flags, access->size, site), number};
  dh_log(thread, words, 2);
  said->site[number] = access;
}

void dh_log_access_slowly(struct dh_thread *thread, struct dh_said *said, uint64_t number,
                          uintptr_t address) {
  uint64_t word = DH_LOG_ACCESS | number << 8 | (uint64_t)address << 16;
  dh_log(thread, &word, 1);
  said->end = NULL;
}
