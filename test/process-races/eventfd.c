/* An eventfd orders a write and a read; the racy reader reads first. */
#include "race.h"
#include <sys/eventfd.h>

static int event;
static int waits;
static void write_and_tell(void) {
  write_data();
  must(eventfd_write(event, 1));
}
static void hear_and_read(void) {
  eventfd_t count;
  if (!waits) read_data();
  must(eventfd_read(event, &count));
  if (waits) read_data();
}

static void racy(void) {
  event = must(eventfd(0, 0));
  both(write_and_tell, hear_and_read);
}
static void fixed(void) {
  waits = 1;
  racy();
}
