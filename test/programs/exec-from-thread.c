/* A thread that is not the first one calls execve, and takes over the first one's number. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *become_shell(void *unused) {
  usleep(20000);
  execl("/bin/sh", "sh", "-c", "echo from the shell > made-by-shell; exit 7", NULL);
  return unused;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, become_shell, NULL);
    for (;;)
      pause();
  }
  int status;
  waitpid(child, &status, 0);
  printf("exited with %d\n", WEXITSTATUS(status));
  return 0;
}
