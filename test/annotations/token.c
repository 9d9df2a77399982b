/*
 * Whoever has read the byte from the pipe has the lock. -DTOLD: deadheat is told of it; -DFORGETS: one thread
 * does without.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "deadheat.h"

static int ends[2];
static int counter;

static void lock(void) {
  char token;
  while (read(ends[0], &token, 1) != 1)
    ;
#ifdef TOLD
  deadheat_lock(ends);
#endif
}

static void unlock(void) {
#ifdef TOLD
  deadheat_unlock(ends);
#endif
  if (write(ends[1], "!", 1) != 1)
    _exit(1);
}

static void *count(void *forgets) {
  for (int i = 0; i < 3; i++) {
    if (forgets == NULL)
      lock();
    counter++;
    if (forgets == NULL)
      unlock();
    usleep(2000);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  if (pipe(ends) != 0 || write(ends[1], "!", 1) != 1)
    return 1;
#ifdef FORGETS
  void *forgets = &counter;
#else
  void *forgets = NULL;
#endif
  pthread_create(&threads[0], NULL, count, NULL);
  pthread_create(&threads[1], NULL, count, forgets);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("counter %d\n", counter);
  return 0;
}
