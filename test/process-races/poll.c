/* poll tells that a pipe has something to read: that is order, even if nobody reads it. */
#include "race.h"
#include <poll.h>

static int waits;
static void write_and_tell(void) {
  write_data();
  open_gate();
}
static void poll_and_read(void) {
  struct pollfd entrance = {.fd = gate[0], .events = POLLIN};
  if (!waits) read_data();
  must(poll(&entrance, 1, -1));
  if (waits) read_data();
}

static void racy(void) {
  make_gate();
  both(write_and_tell, poll_and_read);
}
static void fixed(void) {
  waits = 1;
  racy();
}
