/*
 * Threads end inside fork because another one calls exec: nobody tells of the child. The process lives on,
 * and waits for all of its children to close a pipe.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
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
  for (int round = 0; round < 40; round++) {
    pid_t child = fork();
    if (child == 0) {
      int ends[2];
      pthread_t threads[2];
      if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[0], 0) != 0)
        _exit(1);
      for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, fork_for_ever, NULL);
      usleep(1000 + rand() % 3000);
      execl("/bin/cat", "cat", NULL);
      _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0)
      return 1;
  }
  puts("done");
  return 0;
}
