/*
 * A signal may come before the handler for it is there, and kill. In the twin the child says through
 * a pipe that it is ready.
 */
#include "race.h"

static volatile sig_atomic_t came;
static void note(int signal) { came = signal; }
static int announces;
static void serve(void) {
  struct sigaction action = {.sa_handler = note};
  must(sigaction(SIGUSR1, &action, NULL));
  if (announces) open_gate();
  reach(1);
  while (!came) usleep(500);
}
static void run(void) {
  make_gate();
  pid_t server = child(serve);
  if (announces) pass_gate();
  await_unseen(1);
  must(kill(server, SIGUSR1));
  collect(server);
}

static void racy(void) { run(); }
static void fixed(void) {
  announces = 1;
  run();
}
