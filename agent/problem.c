/* What goes wrong is said in the channel, with the place in the order up to which nothing is missing. */
#include "log.h"
#include "process.h"

void dh_problem(enum dh_problem_kind what, uint32_t thread, int error, const char *text) {
  size_t length = 0;
  while (text[length] != 0)
    length++;
  struct dh_problem problem = {
      .record = {.kind = DH_KIND_PROBLEM},
      .process = dh_process.number,
      .thread = thread,
      .seq = __atomic_load_n(&dh_next_seq, __ATOMIC_RELAXED),
      .what = what,
      .error = (uint32_t)error,
      .text_length = length,
  };
  dh_channel_append(&problem.record, sizeof problem, text, length, NULL, 0);
}
