/* Two processes read from one pipe: either may get a line. The twin's have a pipe each. */
#include "race.h"

static int own[2];
static void read_line(int from) {
  char bytes[5];
  must(read(from, bytes, 5));
}
static void first(void) { read_line(gate[0]); }
static void second(void) { read_line(own[0]); }
static void run(void) {
  pid_t one = child(first), other = child(second);
  must(write(gate[1], "line\n", 5));
  must(write(own[1], "LINE\n", 5));
  collect(one);
  collect(other);
}

static void racy(void) {
  make_gate();
  own[0] = gate[0];
  own[1] = gate[1];
  run();
}
static void fixed(void) {
  make_gate();
  must(pipe(own));
  run();
}
