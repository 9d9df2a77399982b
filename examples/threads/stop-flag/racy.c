/*
 * A thread works until a plain variable tells it to stop. It is polled among other work, and neither volatile
 * nor atomic: a compiler may read it once and never again.
 *
 * Race: stop, lines 15 and 26.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int stop;
static int rounds;

static void *work(void *unused) {
  while (!stop) {
    rounds++;
    usleep(3000);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  usleep(30000);
  stop = 1;
  pthread_join(thread, NULL);
  puts(rounds > 0 ? "worked" : "did nothing");
  return 0;
}
