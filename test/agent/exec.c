/* Becomes another program, in each way that there is; each time it has locked before. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "named.h"

extern char **environ;

int main(int count, char **arguments) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  NAMED(mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  MUST(execl("/no/such/program", "x", (char *)NULL) == -1);
  char *self = arguments[0];
  switch (count < 2 ? '0' : arguments[1][0]) {
  case '0': return execv(self, (char *[]){self, "1", NULL});
  case '1': return execve(self, (char *[]){self, "2", NULL}, environ);
  case '2': return execvp(self, (char *[]){self, "3", NULL});
  case '3': return execvpe(self, (char *[]){self, "4", NULL}, environ);
  case '4': return execl(self, self, "5", "with", "more", "arguments", (char *)NULL);
  case '5': MUST(count == 5); return execlp(self, self, "6", (char *)NULL);
  case '6': return execle(self, self, "7", (char *)NULL, environ);
  case '7': return fexecve(open(self, O_RDONLY | O_CLOEXEC), (char *[]){self, "8", NULL}, environ);
  case '8': return execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
  }
  return 1;
}
