/* A signal is sent to a process that may have ended by then; the twin's waits to be let go. */
#include "race.h"

static int waits;
static pid_t target;
static void live(void) {
  if (waits) pass_gate();
}
static void send(void) {
  kill(target, 0);
  if (waits) open_gate();
}
static void run(void) {
  make_gate();
  target = child(live);
  collect(child(send));
  collect(target);
}

static void racy(void) { run(); }
static void fixed(void) {
  waits = 1;
  run();
}
