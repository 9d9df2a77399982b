/*
 * A signal that comes while another's handler runs, at each of its instructions in turn: a child is stepped so
 * far by its parent. Says that both handlers ran each time: the same natively.
 */
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "named.h"

static sem_t handled;
static struct {
  volatile int first, second;
} *counts;

static void on_first(int number) {
  counts->first += number == SIGUSR1;
  sem_post(&handled);
}

static void on_second(int number) { counts->second += number == SIGUSR2; }

static void be_interrupted(void) {
  signal(SIGUSR1, on_first);
  signal(SIGUSR2, on_second);
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  for (;;)
    raise(SIGSTOP);
}

/* What the child has stopped for. */
static int stop_of(pid_t child) {
  int status;
  MUST(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status))
    printf("ended by signal %d after %d rounds\n", WTERMSIG(status), counts->second);
  MUST(WIFSTOPPED(status));
  return WSTOPSIG(status);
}

static unsigned long stack_of(pid_t child) {
  return (unsigned long)ptrace(PTRACE_PEEKUSER, child, offsetof(struct user, regs.rsp), NULL);
}

static int step(pid_t child, int number) {
  MUST(ptrace(PTRACE_SINGLESTEP, child, NULL, (long)number) == 0);
  return stop_of(child);
}

/* To its next SIGSTOP; whatever else it gets until then, it may get. */
static void run(pid_t child) {
  for (int number = 0; number != SIGSTOP; number = stop_of(child))
    MUST(ptrace(PTRACE_CONT, child, NULL, (long)number) == 0);
}

/* 0 if the first handler has ended before that many steps. */
static int interrupt_after(pid_t child, int steps) {
  unsigned long stack = stack_of(child);
  kill(child, SIGUSR1);
  MUST(step(child, 0) == SIGUSR1 && step(child, SIGUSR1) == SIGTRAP);
  for (int i = 0; i < steps; i++)
    MUST(step(child, 0) == SIGTRAP);
  int is_running = stack_of(child) < stack;
  if (is_running)
    kill(child, SIGUSR2);
  run(child);
  return is_running;
}

int main(void) {
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  MUST(counts != MAP_FAILED && sem_init(&handled, 0, 0) == 0);
  pid_t child = fork();
  if (child == 0)
    be_interrupted();
  MUST(stop_of(child) == SIGSTOP);
  ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL);
  int steps = 0;
  while (interrupt_after(child, steps)) {
    steps++;
    MUST(counts->first == steps && counts->second == steps);
  }
  MUST(steps > 10);
  printf("both were handled, wherever the second came\n");
  return 0;
}
