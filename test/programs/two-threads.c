/* One thread adds to a counter all the time, the other now and then, with threads that come and go meanwhile. */
#include <pthread.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

volatile long counter;
volatile int is_over;

void *add_all_the_time(void *unused) {
  while (!is_over) counter += 1;
  return unused;
}

void *come_and_go(void *unused) { return unused; }

void add_now(void) { counter += 2; }

int main(void) {
  pthread_t adding, passing;
  pthread_create(&adding, NULL, add_all_the_time, NULL);
  /* Until it is told to stop: a byte, or the end of its input. */
  for (int flags = 0; flags < 100000; flags++) {
    fd_set input;
    struct timeval soon = {0, 1000};
    FD_ZERO(&input);
    FD_SET(0, &input);
    if (select(1, &input, NULL, NULL, &soon) > 0) break;
    pthread_create(&passing, NULL, come_and_go, NULL);
    pthread_join(passing, NULL);
    add_now();
  }
  is_over = 1;
  pthread_join(adding, NULL);
  puts("over");
  return 7;
}
