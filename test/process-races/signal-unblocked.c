/* The same, but the child lets the signal through with sigprocmask and then looks what came. */
#include "race.h"

static volatile sig_atomic_t came;
static void note(int signal) { came = signal; }
static sigset_t blocked;
static int child_blocks;
static void serve(void) {
  struct sigaction action = {.sa_handler = note};
  if (child_blocks) must(sigprocmask(SIG_BLOCK, &blocked, NULL));
  must(sigaction(SIGUSR1, &action, NULL));
  reach(1);
  must(sigprocmask(SIG_UNBLOCK, &blocked, NULL));
  while (!came) usleep(500);
}
static void run(void) {
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  if (!child_blocks) must(sigprocmask(SIG_BLOCK, &blocked, NULL));
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
