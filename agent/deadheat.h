/*
 * What deadheat (TypeScript) and the agent (C, inside the target) agree on. This is the one place
 * where the channel and its records are laid out; src/linux/agent-protocol.ts states the same
 * numbers, and a test compares the two.
 *
 * The channel is a file that both sides map. It starts with struct dh_channel; records follow,
 * each starting with struct dh_record. A writer reserves its bytes by adding to `reserved`, fills
 * them in, and stores the kind last, so a reader that sees a kind sees a whole record.
 */
#ifndef DEADHEAT_H
#define DEADHEAT_H

#include <stdint.h>

#define DH_PROTOCOL 1
#define DH_MAGIC 0x54414548 /* "HEAT" */

/* Environment variable that names the channel file. */
#define DH_CHANNEL_VARIABLE "DEADHEAT_CHANNEL"

struct dh_channel {
  uint32_t magic;
  uint32_t protocol;
  uint64_t capacity; /* bytes for records, after this header */
  uint64_t reserved; /* bytes handed out so far; more than capacity: records were lost */
  uint8_t padding[40];
};
_Static_assert(sizeof(struct dh_channel) == 64, "channel header");

enum dh_kind {
  DH_KIND_NONE = 0,
  DH_KIND_HELLO = 1,
};

struct dh_record {
  uint32_t kind; /* enum dh_kind, stored last */
  uint32_t size; /* of the whole record, a multiple of 8 */
};
_Static_assert(sizeof(struct dh_record) == 8, "record header");

/* The agent has been loaded into a process. */
struct dh_hello {
  struct dh_record record;
  uint32_t pid;
  uint32_t protocol;
};
_Static_assert(sizeof(struct dh_hello) == 16, "hello");

#endif
