/*
 * Loops that are told as a whole (src/binary/rewrite/hoisted-loops.ts): a record on the way in, with the values
 * as they are then, and one on the way out, from which follows how many iterations there were. Together they
 * are a run for each access of the loop (runs.h).
 *
 * A loop that is never left (the program crashes in it, or a signal handler jumps out) has at least made the
 * accesses that come first. If a handler synchronises while it runs, nobody knows what came before and what
 * after; then that is all that is told of it.
 */
#ifndef DH_LOOPS_H
#define DH_LOOPS_H

#include "runs.h"

static inline int dh_is_loop(const struct dh_group *group) {
  return group->access[0].flags & DH_ROW_LOOP;
}

/* A record of the way in, or out. */
void dh_loop_record(struct dh_thread *, const struct dh_clones *, const struct dh_group *,
                    uint32_t number, const uint64_t *values);
/* An epoch ends, or a signal handler begins: the loop may be under way. */
void dh_loop_interrupted(struct dh_thread *, const struct dh_clones *, const struct dh_group *,
                         struct dh_run *);

#endif
