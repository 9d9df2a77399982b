/* Forks of a threaded program, of every kind: each child locks and ends; the threads go on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "named.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
extern char **environ;

static void *work(void *unused) {
  while (!stop) {
    pthread_mutex_lock(&other);
    free(malloc(30));
    pthread_mutex_unlock(&other);
  }
  return unused;
}

static void *nothing(void *unused) { return unused; }

static int wait_for(pid_t child) {
  int status;
  MUST(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void lock_and_exit(int status) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  _exit(status);
}

static int in_own_memory(void *unused) {
  (void)unused;
  syscall(SYS_exit_group, 24);
  return 0;
}

int main(void) {
  NAMED(mutex), NAMED(other);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    MUST(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 10; i++) {
    pid_t child = fork();
    if (child == 0) {
      pthread_t thread;
      MUST(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
      lock_and_exit(20);
    }
    MUST(wait_for(child) == 20);
  }
  pid_t child = _Fork();
  if (child == 0)
    lock_and_exit(21);
  MUST(wait_for(child) == 21);
  child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0)
    lock_and_exit(22);
  MUST(wait_for(child) == 22);
  child = vfork();
  if (child == 0) {
    signal(SIGUSR1, SIG_DFL);
    _exit(23);
  }
  MUST(wait_for(child) == 23);
  static char stack[65536] __attribute__((aligned(16)));
  child = clone(in_own_memory, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
  MUST(wait_for(child) == 24);
  char *arguments[] = {"sh", "-c", "exit 25", NULL};
  MUST(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
  MUST(wait_for(child) == 25);
  MUST(WEXITSTATUS(system("exit 26")) == 26);
  stop = 1;
  for (int i = 0; i < 3; i++)
    MUST(pthread_join(threads[i], NULL) == 0);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
