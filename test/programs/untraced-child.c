/* Asks for children that no tracer follows, in both of the ways there are. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(pid_t child, const char *name) {
  if (child == 0) {
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    _exit(fd < 0 ? errno : 0);
  }
  int status;
  waitpid(child, &status, 0);
  printf("%s: %d\n", name, WEXITSTATUS(status));
  fflush(stdout);
}

int main(void) {
  report(syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0), "by-clone");
  struct clone_args args = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
  report(syscall(SYS_clone3, &args, sizeof args), "by-clone3");
  return 0;
}
