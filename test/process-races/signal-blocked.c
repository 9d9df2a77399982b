/*
 * The signal is blocked until the handler is there. The racy program blocks it in the child, which
 * may be too late; the twin blocks it before the fork.
 */
#include "race.h"

static volatile sig_atomic_t came;
static void note(int signal) { came = signal; }
static sigset_t blocked, before;
static int child_blocks;
static void serve(void) {
  struct sigaction action = {.sa_handler = note};
  if (child_blocks) must(sigprocmask(SIG_BLOCK, &blocked, &before));
  must(sigaction(SIGUSR1, &action, NULL));
  reach(1);
  while (!came) sigsuspend(&before);
}
static void run(void) {
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  if (!child_blocks) must(sigprocmask(SIG_BLOCK, &blocked, &before));
  pid_t server = child(serve);
  await_unseen(1);
  must(kill(server, SIGUSR1));
  collect(server);
}

static void racy(void) {
  child_blocks = 1;
  run();
}
static void fixed(void) { run(); }
