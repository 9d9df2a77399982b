/* Two processes write one file under two names. The twin's names lead to two files. */
#include "race.h"

static void write_second(void) { write_to("second"); }

static void racy(void) {
  must(link("data", "second"));
  both(write_data, write_second);
}
static void fixed(void) {
  make_file("second", "old");
  both(write_data, write_second);
}
