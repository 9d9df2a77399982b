/* One process opens a file by a second name while another gives it that name. */
#include "race.h"

static void make(void) { must(link("data", "second")); }
static void look(void) {
  int fd = open("second", O_RDONLY);
  if (fd >= 0) close(fd);
}

static void racy(void) { both(make, look); }
static void fixed(void) { in_turn(make, look); }
