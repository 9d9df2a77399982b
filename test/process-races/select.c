/* The same with select. */
#include "race.h"
#include <sys/select.h>

static int waits;
static void write_and_tell(void) {
  write_data();
  open_gate();
}
static void select_and_read(void) {
  fd_set entrances;
  FD_ZERO(&entrances);
  FD_SET(gate[0], &entrances);
  if (!waits) read_data();
  must(select(gate[0] + 1, &entrances, NULL, NULL, NULL));
  if (waits) read_data();
}

static void racy(void) {
  make_gate();
  both(write_and_tell, select_and_read);
}
static void fixed(void) {
  waits = 1;
  racy();
}
