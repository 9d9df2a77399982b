/*
 * Becomes the program that its argument names, with the sampling signal under way, which is let in only there. Without
 * an argument it is that program, and ends with status 7. Made by system calls, since the agent has no say in these.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../agent/deadheat.h"

static void change_mask(int how) {
  uint64_t ours = 1ull << (DH_SAMPLING_SIGNAL - 1);
  syscall(SYS_rt_sigprocmask, how, &ours, NULL, sizeof ours);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    change_mask(SIG_UNBLOCK);
    return 7;
  }
  change_mask(SIG_BLOCK);
  syscall(SYS_tgkill, getpid(), gettid(), DH_SAMPLING_SIGNAL);
  execl(argv[1], argv[1], (char *)NULL);
  return 1;
}
