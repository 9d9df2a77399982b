/*
 * A parent that waits in sigsuspend to be told by SIGCHLD of its child's end, and collects it only
 * later. The racy one is told while it is busy, and would have read without.
 */
#include "race.h"

static volatile sig_atomic_t ended;
static void note(int signal) { ended = signal; }
static void run(int waits) {
  sigset_t blocked, before;
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  must(sigaction(SIGCHLD, &action, NULL));
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  if (waits) must(sigprocmask(SIG_BLOCK, &blocked, &before));
  pid_t writer = child(write_data);
  // usleep is no call that tells a recorder of waiting.
  while (!ended) waits ? sigsuspend(&before) : usleep(500);
  read_data();
  collect(writer);
}

static void racy(void) { run(0); }
static void fixed(void) { run(1); }
