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
#define DH_RUNS_SEEN 2048

/* What a thread knows of its accesses. */
struct dh_accesses {
  struct dh_filter filter;
  struct dh_said said;
  char *states; /* of all groups: struct run */
  uint32_t active_count;
  uint32_t active[DH_ACTIVE_MAX];   /* groups with a run */
  uint32_t generation; /* of memory: what was seen of an earlier one may be of blocks that were freed */
  uint64_t seen[DH_RUNS_SEEN];      /* runs of this epoch, hashed with it */
};

/* Empties the raw buffer. */
void dh_runs_drain(struct dh_thread *);
/* The epoch is about to end. */
void dh_runs_end_all(struct dh_thread *);

#endif
