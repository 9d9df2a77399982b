/*
 * Writes accesses as the agent does: reads addresses from stdin, 8 bytes each, and writes the words of the log
 * to stdout. Even addresses are read at one place, odd ones written at another, so that both are in use.
 */
#include <stdio.h>
#include <stdlib.h>

#include "access-log.h"

struct dh_fork_mark dh_fork_mark = {.owner = 1};
__thread struct dh_thread dh_self;

static uint64_t window[64];

int dh_log_more(struct dh_thread *thread) {
  fwrite(window, sizeof *window, (size_t)(thread->log_at - window), stdout);
  thread->log_at = window;
  return 1;
}

int main(void) {
  static struct dh_said said;
  static const struct dh_group_access reads = {.size = 8, .flags = DH_READ};
  static const struct dh_group_access writes = {.size = 1, .flags = DH_WRITE};
  struct dh_thread *thread = &dh_self;
  thread->log_at = window;
  thread->log_end = window + sizeof window / sizeof *window;
  for (uintptr_t address; fread(&address, sizeof address, 1, stdin) == 1;)
    dh_log_access(thread, &said, address % 2 == 0 ? &reads : &writes, address % 2 == 0 ? 7 : 1000,
                  address);
  dh_log_more(thread);
  return 0;
}
