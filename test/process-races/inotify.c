/* A reader is told of a change by inotify, and so comes after it; the racy one reads first. */
#include "race.h"
#include <sys/inotify.h>

static int watch;
static int waits;
static void hear_and_read(void) {
  char told[4096];
  if (!waits) read_data();
  must(read(watch, told, sizeof told));
  if (waits) read_data();
}

static void racy(void) {
  watch = must(inotify_init1(0));
  must(inotify_add_watch(watch, "data", IN_MODIFY));
  both(write_data, hear_and_read);
}
static void fixed(void) {
  waits = 1;
  racy();
}
