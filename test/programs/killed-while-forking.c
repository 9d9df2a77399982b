/* Processes die inside fork, by SIGKILL and by their main thread's exit: nobody tells of the child. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *fork_for_ever(void *unused) {
  for (;;) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    waitpid(child, NULL, 0);
  }
  return unused;
}

int main(void) {
  srand(1);
  for (int round = 0; round < 60; round++) {
    pid_t child = fork();
    if (child == 0) {
      pthread_t thread;
      pthread_create(&thread, NULL, fork_for_ever, NULL);
      if (round % 2)
        fork_for_ever(NULL);
      usleep(1000 + rand() % 3000);
      _exit(0);
    }
    usleep(1000 + rand() % 3000);
    if (round % 2)
      kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  puts("done");
  return 0;
}
