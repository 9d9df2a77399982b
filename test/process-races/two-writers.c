/* Two processes write into one pipe: the reader may get either's line first. */
#include "race.h"

static int own[2];
static void first(void) { must(write(gate[1], "line\n", 5)); }
static void second(void) { must(write(own[1], "LINE\n", 5)); }
static void run(void) {
  char bytes[5];
  pid_t one = child(first), other = child(second);
  must(read(gate[0], bytes, 5));
  must(read(own[0], bytes, 5));
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
