/*
 * Records of one group that follow each other with equal steps, as in a loop over an array, are one *run*:
 * that takes no more than a comparison for each of them. Where a run ends, each of its accesses is looked
 * at. If the same addresses have been through the same instruction in this epoch (the same row of a matrix,
 * once more), nothing is left to do; otherwise they go through the filter (filter.h).
 *
 * A group whose runs keep ending at once, as in a walk over a list, is taken record by record for a while.
 */
#ifndef DH_RUNS_H
#define DH_RUNS_H

#include "access-log.h"
#include "filter.h"
#include "groups.h"

#define DH_ACTIVE_MAX 1024
#define DH_RUNS_SEEN 8192
#define DH_RUNS_SEEN_WAYS 8 /* places for a run to be remembered at, the last one first: a line of the cache */

/* What a thread knows of its accesses. */
struct dh_accesses {
  struct dh_filter filter;
  struct dh_said said;
  char *states; /* of all groups: struct dh_run */
  uint32_t active_count;
  uint32_t active[DH_ACTIVE_MAX];   /* groups with a run */
  uint32_t generation; /* of memory: what was seen of an earlier one may be of blocks that were freed */
  uint64_t seen[DH_RUNS_SEEN] __attribute__((aligned(64))); /* runs of this epoch, hashed with it */
};

/* A group's state in a thread: its run, of `count` records in `epoch`. */
struct dh_run {
  uint32_t epoch;  /* one more, so that 0 is none */
  uint32_t count;
  uint32_t shorts; /* runs in a row that ended at once */
  uint32_t direct; /* so many records more are taken one by one */
  struct {
    uint64_t last;
    uint64_t step;
  } value[];
};

static inline struct dh_run *dh_run_of(struct dh_thread *thread, const struct dh_clones *clones,
                                       const struct dh_group *group) {
  struct dh_accesses *own = thread->accesses;
  return (struct dh_run *)(own->states + clones->state_at + group->state_at);
}

/* The first record of a run: of one in this epoch, which will be ended with it. */
void dh_run_begin(struct dh_thread *, uint32_t number, const struct dh_group *, struct dh_run *,
                  const uint64_t *values);
/* Takes some of a group's accesses, `many` of them, as often as `count` says: last with the run's last values. */
void dh_run_end(struct dh_thread *, const struct dh_clones *, const struct dh_group_access *,
                uint32_t many, const struct dh_run *, uint32_t count);

/* Empties the raw buffer. */
void dh_runs_drain(struct dh_thread *);
/* The epoch is about to end. */
void dh_runs_end_all(struct dh_thread *);

#endif
