/* Two processes write one file; the twin's write a file each. */
#include "race.h"

static void write_other(void) { write_to("other"); }

static void racy(void) { both(write_data, write_data); }
static void fixed(void) {
  make_file("other", "old");
  both(write_data, write_other);
}
