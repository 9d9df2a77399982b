/*
 * Threads that each start a process: the order of its lines in the file `log` is that in which they
 * came. The number of a descriptor that each of them opens depends on the others.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *argument) {
  int ends[2];
  char line[32];
  if (pipe(ends) != 0) exit(3);
  pid_t child = fork();
  if (child == 0) {
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    int length = snprintf(line, sizeof line, "%ld %d\n", (long)argument, ends[0]);
    if (write(log, line, length) != length) _exit(4);
    if (write(ends[1], line, length) != length) _exit(5);
    _exit(0);
  }
  close(ends[1]);
  if (read(ends[0], line, sizeof line) <= 0) exit(6);
  waitpid(child, NULL, 0);
  close(ends[0]);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return 0;
}
