/* The end of a pipe says that its writer has ended, although it wrote nothing. */
#include "race.h"

static int waits;
static void write_and_end(void) {
  must(close(gate[0]));
  write_data();
}
static void read_at_end(void) {
  char byte;
  must(close(gate[1]));
  if (waits) must(read(gate[0], &byte, 1));
  read_data();
}
static void run(void) {
  make_gate();
  pid_t reader = child(read_at_end), writer = child(write_and_end);
  must(close(gate[0]));
  must(close(gate[1]));
  collect(reader);
  collect(writer);
}

static void racy(void) { run(); }
static void fixed(void) {
  waits = 1;
  run();
}
