/*
 * What deadheat (src/tolerate/runtime/event-file.ts) and the library inside of the program agree on: a file that
 * both map. It has what deadheat asks for, and an entry for each race that was seen, once for each place. When one
 * is seen again, deadheat has the processor watch the variable; from then on there are sightings, of which each says
 * between which times somebody else has written to it.
 */
#ifndef DH_TOLERATE_EVENTS_H
#define DH_TOLERATE_EVENTS_H

#include <stdint.h>

#include "private-words.h"

#define DH_TOLERATE_VARIABLE "DEADHEAT_TOLERATE"
#define DH_TOLERATE_MAGIC 0x454c4f54 /* "TOLE" */
#define DH_TOLERATE_VERSION 2
#define DH_TOLERATE_EVENTS 4096
#define DH_TOLERATE_SIGHTINGS 64

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
  uint32_t last_pid; /* where it was seen last */
  uint32_t thread;   /* whose section it was, the first time */
};
_Static_assert(sizeof(struct dh_tolerate_event) == 64, "event");

struct dh_tolerate_sighting {
  uint64_t number; /* from 1; written last, and 0 meanwhile */
  uint32_t pid, thread; /* whose section it was */
  uint32_t section, padding;
  uint64_t address; /* of the variable */
  uint64_t since, until; /* CLOCK_MONOTONIC, in nanoseconds */
  uint64_t reserved[2];
};
_Static_assert(sizeof(struct dh_tolerate_sighting) == 64, "sighting");

struct dh_tolerate_file {
  uint32_t magic, version;
  uint32_t options;  /* enum dh_tolerate_option */
  uint32_t prepared; /* processes whose sections are isolated */
  uint64_t image;    /* where the program was loaded, in the last of them */
  uint64_t lost;     /* races that had no room */
  uint32_t refused;  /* processes whose sections could not be, after all */
  uint32_t error;    /* why: errno */
  uint32_t halted;   /* a process was ended */
  uint32_t repeated; /* events that were seen a second time */
  uint64_t sighted;  /* how many sightings there were; the last ones are kept */
  uint32_t unpatched; /* sections that could not be given their clones, in the last process where that was so */
  uint32_t outside;   /* threads that have entered sections which could not be isolated, there and then */
  struct dh_watched watched;
  uint64_t more_padding[3];
  struct dh_tolerate_event events[DH_TOLERATE_EVENTS];
  struct dh_tolerate_sighting sightings[DH_TOLERATE_SIGHTINGS];
};
_Static_assert(__builtin_offsetof(struct dh_tolerate_file, watched) == 64, "event file");
_Static_assert(__builtin_offsetof(struct dh_tolerate_file, events) == 128, "event file");

extern struct dh_tolerate_file *dh_events;
int dh_events_open(const char *path);
void dh_events_tell(const struct dh_words_race *race);
void dh_events_add_outside(void);

#endif
