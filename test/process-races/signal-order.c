/*
 * One process changes a file and then signals another, which reads it. The racy program reads
 * without waiting for the signal; it is blocked, and fetched only afterwards.
 */
#include "race.h"

static sigset_t signals;
static int waits;
static pid_t reader;
static void read_it(void) {
  int which;
  if (!waits) read_data();
  must(sigwait(&signals, &which));
  if (waits) read_data();
}
static void write_it(void) {
  write_data();
  must(kill(reader, SIGUSR1));
}
static void run(void) {
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  must(sigprocmask(SIG_BLOCK, &signals, NULL));
  reader = child(read_it);
  pid_t writer = child(write_it);
  collect(writer);
  collect(reader);
}

static void racy(void) { run(); }
static void fixed(void) {
  waits = 1;
  run();
}
