/*
 * A process gives up its user while another sends it a signal, which is allowed or not by who the
 * two are. In the twin it says when it is done.
 */
#include "race.h"

static int leave[2];
static pid_t target;
static int announces;
static void give_up(void) {
  char byte;
  must(setresuid(-1, getuid() == 0 ? 65534 : getuid(), -1));
  if (announces) open_gate();
  must(close(leave[1]));
  must(read(leave[0], &byte, 1));
}
static void send(void) {
  must(close(leave[0]));
  if (announces) pass_gate();
  must(kill(target, 0));
}
static void run(void) {
  make_gate();
  must(pipe(leave));
  target = child(give_up);
  pid_t sender = child(send);
  must(close(leave[1]));
  collect(sender);
  collect(target);
}

static void racy(void) { run(); }
static void fixed(void) {
  announces = 1;
  run();
}
