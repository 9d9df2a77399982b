/*
 * Steps through a program (stepped-locks.c), one instruction at a time, and at each has the agent take a sample:
 *
 *   step-through CONTROL LD_PRELOAD=… DEADHEAT_SAMPLING=… -- PROGRAM KIND
 *
 * prints for each the place, whether the lock was held by then, and whether a sample was logged: `55d0a1b2 1 1`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../agent/deadheat.h"
#include "stepped-locks.h"

static pid_t program;

static void check(long result, const char *what) {
  if (result >= 0)
    return;
  perror(what);
  kill(program, SIGKILL);
  exit(2);
}

static int next_stop(void) {
  int status;
  check(waitpid(program, &status, 0), "waitpid");
  if (!WIFSTOPPED(status)) {
    fprintf(stderr, "the program ended: %x\n", status);
    exit(3);
  }
  return WSTOPSIG(status);
}

static struct user_regs_struct registers(void) {
  struct user_regs_struct found;
  check(ptrace(PTRACE_GETREGS, program, 0, &found), "PTRACE_GETREGS");
  return found;
}

static unsigned read_word(unsigned long at) {
  errno = 0;
  long word = ptrace(PTRACE_PEEKDATA, program, at, 0);
  check(errno == 0 ? 0 : -1, "PTRACE_PEEKDATA");
  return (unsigned)word;
}

/* struct __pthread_rwlock_arch_t: readers count in eights at its start, the writer's number is at 24. */
static int is_held(unsigned long lock, enum how_held how, unsigned unlocked) {
  switch (how) {
  case HELD_IF_NOT_ZERO: return read_word(lock) != 0;
  case HELD_IF_CHANGED: return read_word(lock) != unlocked;
  case HELD_AS_RWLOCK: return read_word(lock) >> 3 != 0 || read_word(lock + 24) != 0;
  }
  return -1;
}

/* The signal is delivered in place of the step's own; then the handler runs to its end. */
static void take_sample(void) {
  siginfo_t info = {.si_signo = DH_SAMPLING_SIGNAL, .si_code = SI_QUEUE};
  info.si_value.sival_int = DH_SAMPLE_NOW_COOKIE;
  check(ptrace(PTRACE_SETSIGINFO, program, 0, &info), "PTRACE_SETSIGINFO");
  long signal = DH_SAMPLING_SIGNAL;
  int is_returning = 0;
  for (;;) {
    check(ptrace(PTRACE_SYSCALL, program, 0, signal), "PTRACE_SYSCALL");
    signal = 0;
    if (next_stop() != (SIGTRAP | 0x80))
      continue;
    if (is_returning)
      return;
    is_returning = registers().orig_rax == SYS_rt_sigreturn;
  }
}

static struct dh_sampling_control *map_control(const char *path) {
  int fd = open(path, O_RDWR);
  check(fd, path);
  void *mapped = mmap(NULL, sizeof(struct dh_sampling_control), PROT_READ, MAP_SHARED, fd, 0);
  return mapped;
}

int main(int argc, char **argv) {
  int first = 2;
  while (first < argc && strcmp(argv[first], "--") != 0)
    first++;
  struct dh_sampling_control *control = map_control(argv[1]);
  program = fork();
  if (program == 0) {
    for (int i = 2; i < first; i++)
      putenv(argv[i]);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execv(argv[first + 1], argv + first + 1);
    _exit(9);
  }
  next_stop(); /* its exec */
  check(ptrace(PTRACE_SETOPTIONS, program, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), "options");
  check(ptrace(PTRACE_CONT, program, 0, 0), "PTRACE_CONT");
  if (next_stop() != SIGTRAP)
    check(-1, "its first int3");
  struct user_regs_struct at = registers();
  unsigned long lock = at.rax;
  enum how_held how = (enum how_held)at.rbx;
  unsigned unlocked = read_word(lock);
  printf("%lx\n", lock);
  for (;;) {
    check(ptrace(PTRACE_SINGLESTEP, program, 0, 0), "PTRACE_SINGLESTEP");
    if (next_stop() != SIGTRAP)
      continue;
    at = registers();
    if ((read_word(at.rip - 1) & 0xff) == 0xcc)
      break;
    int held = is_held(lock, how, unlocked);
    unsigned long before = control->samples;
    take_sample();
    printf("%llx %d %d\n", at.rip, held, control->samples > before);
  }
  check(ptrace(PTRACE_CONT, program, 0, 0), "PTRACE_CONT");
  int status;
  waitpid(program, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
