/*
 * What the records in a raw buffer mean: a record is a group's number and its values, and the group says
 * which accesses these stand for (src/binary/rewrite/group-table.ts).
 */
#ifndef DH_GROUPS_H
#define DH_GROUPS_H

#include <stdint.h>

#include "deadheat.h"

/*
 * The first word of a record: the group's number, and how many values follow. The group knows that, too,
 * but the processor would have to wait for it before it could look at the next record.
 */
#define DH_GROUP_BITS 27
static inline uint32_t dh_record_group(uint64_t head) { return head & ((1u << DH_GROUP_BITS) - 1); }
static inline uint32_t dh_record_values(uint64_t head) { return (uint32_t)head >> DH_GROUP_BITS; }

struct dh_group_access {
  uint8_t value; /* which of the values to add `displacement` to; DH_NO_VALUE: the image's base */
  uint8_t count; /* which of the values says how many elements; DH_NO_VALUE: one */
  uint16_t size;
  int32_t displacement;
  uint32_t site;  /* relative to the module's first */
  uint32_t flags; /* enum dh_access; DH_ATOMIC: its place in the order is wanted */
};
_Static_assert(sizeof(struct dh_group_access) == 16, "group access");
#define DH_NO_VALUE 255

/*
 * In the flags of a group's first row, that it is the way into a loop or out of it; then its rows are not all
 * accesses (src/binary/rewrite/group-table.ts), and it is for loops.c.
 */
#define DH_ROW_LOOP 8
#define DH_ROW_EXIT 16

struct dh_group {
  uint16_t values;
  uint16_t accesses;
  uint32_t state_at; /* in the thread's state for this module's groups */
  struct dh_group_access access[];
};
_Static_assert(sizeof(struct dh_group) == 8, "group");

/* Clones of one image. Numbers of groups go through all modules. */
struct dh_clones {
  uint32_t first_group, groups;
  uint32_t first_site;
  uint32_t state_at; /* in a thread's state */
  const uint32_t *group_index;
  const uint32_t *group_words;
  uintptr_t image; /* address 0 of the image is here */
};

#define DH_MODULES_MAX 64
extern struct dh_clones dh_clones[DH_MODULES_MAX] DH_HIDDEN;
extern uint32_t dh_clones_count;
/* Bytes that a thread's state takes, and that it may ever take. */
extern uint32_t dh_group_state_size;
#define DH_GROUP_STATE_MAX (1ul << 30)

static inline const struct dh_clones *dh_clones_of(uint32_t group) {
  const struct dh_clones *clones = dh_clones;
  while (__builtin_expect(group - clones->first_group >= clones->groups, 0))
    clones++;
  return clones;
}

static inline const struct dh_group *dh_group(const struct dh_clones *clones, uint32_t number) {
  uint32_t at = clones->group_index[number - clones->first_group];
  return (const struct dh_group *)(clones->group_words + at);
}

#endif
