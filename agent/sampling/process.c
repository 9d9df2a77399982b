/* What a sampled process is, and what happens to it when it forks. */
#define _GNU_SOURCE
#include "../process.h"

#include "../channel.h"
#include "../syscalls.h"
#include "events.h"
#include "images.h"
#include "thread.h"

struct dh_process dh_process;
struct dh_fork_mark dh_fork_mark;

void dh_process_mark(void) {
  /* Old kernels know no such advice: then only pthread_atfork tells. */
  DH_SYSCALL(SYS_madvise, &dh_fork_mark, sizeof dh_fork_mark, 18 /* MADV_WIPEONFORK */, 0);
  dh_fork_mark.owner = dh_process.number;
}

void dh_process_forked(void) {
  if (dh_control == NULL || dh_fork_mark.owner != 0)
    return;
  uint32_t parent = dh_process.number;
  dh_fork_mark.owner = (uint32_t)-1; /* what is called from here must not come here again */
  dh_events_forget();
  dh_images_forked();
  dh_process_number();
  dh_process.parent_number = parent;
  dh_process.log_stopped = 0;
  dh_fork_mark.owner = dh_process.number;
  dh_process_hello();
  dh_thread_forked(parent, dh_thread.number);
}

void dh_problem(enum dh_problem_kind what, uint32_t thread, int error, const char *text) {
  size_t length = 0;
  while (text[length] != 0)
    length++;
  struct dh_problem problem = {
      .record = {.kind = DH_KIND_PROBLEM},
      .process = dh_process.number,
      .thread = thread,
      .what = what,
      .error = (uint32_t)error,
      .text_length = length,
  };
  dh_channel_append(&problem.record, sizeof problem, text, length, NULL, 0);
}
