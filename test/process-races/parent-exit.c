/*
 * A process asks for its parent while that one ends. In the twin the end of a pipe has told it
 * before that its parent is gone.
 */
#include "race.h"

static int waits;
static void orphan(void) {
  char byte;
  must(close(gate[1]));
  if (waits) must(read(gate[0], &byte, 1));
  getppid();
}
static int left[2];
static void parent(void) {
  must(close(left[0]));
  child(orphan);
}
static void run(void) {
  char byte;
  make_gate();
  must(pipe(left));
  pid_t short_lived = child(parent);
  must(close(gate[1]));
  must(close(left[1]));
  collect(short_lived);
  must(read(left[0], &byte, 1));
}

static void racy(void) { run(); }
static void fixed(void) {
  waits = 1;
  run();
}
