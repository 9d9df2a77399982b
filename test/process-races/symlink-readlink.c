/* One process asks where a link leads while another makes it. */
#include "race.h"

static void make(void) { must(symlink("data", "link")); }
static void ask(void) {
  char target[16];
  if (readlink("link", target, sizeof target) < 0 && errno != ENOENT) must(-1);
}

static void racy(void) { both(make, ask); }
static void fixed(void) { in_turn(make, ask); }
