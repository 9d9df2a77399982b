/*
 * What deadheat (src/tolerate/runtime/event-file.ts) and the library inside of the program agree on: a file that
 * both map. It has what deadheat asks for, and an entry for each race that was seen, once for each place.
 */
#ifndef DH_TOLERATE_EVENTS_H
#define DH_TOLERATE_EVENTS_H

#include <stdint.h>

#define DH_TOLERATE_VARIABLE "DEADHEAT_TOLERATE"
#define DH_TOLERATE_MAGIC 0x454c4f54 /* "TOLE" */
#define DH_TOLERATE_VERSION 1
#define DH_TOLERATE_EVENTS 4096

enum dh_tolerate_option {
  DH_TOLERATE_DETECT = 1, /* only tell */
  DH_TOLERATE_HALT = 2,   /* end the program at a race that cannot be tolerated */
  DH_TOLERATE_BLIND = 4,  /* others never read before they write */
};

struct dh_tolerate_event {
  uint32_t state; /* 0: free; 1: being filled in; 2: there */
  uint32_t section;
  uint32_t pid;
  uint8_t race; /* enum deadheat_race_class */
  uint8_t kept; /* enum deadheat_kept */
  uint8_t tolerated;
  uint8_t size;     /* of the variable, in bytes */
  uint64_t address; /* of the variable */
  uint64_t original, ours, theirs;
  uint64_t count;
  uint64_t reserved;
};
_Static_assert(sizeof(struct dh_tolerate_event) == 64, "event");

struct dh_tolerate_file {
  uint32_t magic, version;
  uint32_t options;  /* enum dh_tolerate_option */
  uint32_t prepared; /* processes whose sections are isolated */
  uint64_t image;    /* where the program was loaded, in the last of them */
  uint64_t lost;     /* races that had no room */
  uint32_t refused;  /* processes whose sections could not be, after all */
  uint32_t error;    /* why: errno */
  uint32_t halted;   /* a process was ended */
  uint32_t padding[5];
  struct dh_tolerate_event events[DH_TOLERATE_EVENTS];
};
_Static_assert(__builtin_offsetof(struct dh_tolerate_file, events) == 64, "event file");

extern struct dh_tolerate_file *dh_events;
int dh_events_open(const char *path);
void dh_events_tell(void *nothing, uint64_t address, uint64_t mask, uint64_t original, uint64_t ours,
                    uint64_t theirs, uint32_t race, uint32_t kept, uint32_t tolerated);

#endif
