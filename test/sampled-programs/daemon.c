/* Begins as root, and goes on as nobody, in a child of its own, as daemons do; two threads work there. */
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long shared;

static void *work(void *unused) {
  struct timespec time;
  do {
    for (int i = 0; i < 1000; i++) shared++;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  } while (time.tv_sec == 0 && time.tv_nsec < 300000000);
  return unused;
}

int main(void) {
  if (fork() != 0) return wait(NULL) < 0;
  if (setgroups(0, NULL) || setgid(65534) || setuid(65534)) return perror("setuid"), 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
