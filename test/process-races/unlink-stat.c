/* One process removes a file whose size another asks for; the twin asks first. */
#include "race.h"

static void ask(void) {
  struct stat found;
  stat("data", &found);
}
static void remove_it(void) { must(unlink("data")); }

static void racy(void) { both(ask, remove_it); }
static void fixed(void) { in_turn(ask, remove_it); }
