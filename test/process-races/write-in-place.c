/*
 * A file is emptied and written anew while another process reads it. The twin writes a new file and
 * renames it to the old one's name: whoever reads gets the one or the other, whole.
 */
#include "race.h"

static void write_anew(void) { make_file("data", "new"); }
static void replace(void) {
  make_file("data.new", "new");
  must(rename("data.new", "data"));
}
static void read_old(void) {
  read_data();
  reach(1);
}
static void read_new(void) {
  await_unseen(2);
  read_data();
}
static void replace_between(void) {
  await_unseen(1);
  replace();
  reach(2);
}

static void racy(void) { both(write_anew, read_data); }
static void fixed(void) {
  pid_t before = child(read_old), between = child(replace_between), after = child(read_new);
  collect(before);
  collect(between);
  collect(after);
}
