/*
 * A parent that goes on when SIGCHLD has told it of its child's end. The racy one reads what the
 * child writes without waiting for that.
 */
#include "race.h"

static volatile sig_atomic_t ended;
static void note(int signal) {
  int saved = errno;
  while (waitpid(-1, NULL, WNOHANG) > 0) ended = signal;
  errno = saved;
}
static int early;
static void write_and_end(void) {
  write_data();
  if (early) await_unseen(1);
}
static void run(void) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  must(sigaction(SIGCHLD, &action, NULL));
  child(write_and_end);
  if (early) read_data();
  reach(1);
  while (!ended) usleep(500);
  if (!early) read_data();
}

static void racy(void) {
  early = 1;
  run();
}
static void fixed(void) { run(); }
