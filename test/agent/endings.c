/* Ends in the way that is asked for, while another thread goes on. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "named.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;

static void *work(void *unused) {
  pthread_mutex_lock(&other);
  sem_post(&begun);
  for (;;)
    pause();
  return unused;
}

int main(int count, char **arguments) {
  NAMED(mutex), NAMED(other);
  sem_init(&begun, 0, 0);
  pthread_t thread;
  MUST(count == 2 && pthread_create(&thread, NULL, work, NULL) == 0);
  while (sem_wait(&begun) != 0)
    ;
  pthread_mutex_lock(&mutex);
  switch (arguments[1][0]) {
  case 'e': exit(10);
  case '_': _exit(11);
  case 'q': quick_exit(12);
  case 'a': abort();
  case 'k': kill(getpid(), SIGKILL);
  case 's': *(volatile int *)8 = 1;
  case 't': raise(SIGTERM);
  case 'x': syscall(SYS_exit_group, 13);
  }
  return 14;
}
