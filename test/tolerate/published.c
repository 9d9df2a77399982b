/*
 * Figures are set under the lock, and then it is said which ones they are, in an atomic variable: whoever looks at
 * that first may look at the figures without the lock. Prints how often these were older than what was said.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIGURES = 40 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long said, figures[FIGURES];
static atomic_int is_over;

static void *look(void *argument) {
  long *early = argument;
  while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
    long least = atomic_load_explicit(&said, memory_order_acquire);
    for (int i = 0; i < FIGURES; i++)
      *early += atomic_load_explicit(&figures[i], memory_order_relaxed) < least;
  }
  return NULL;
}

int main(int count, char **arguments) {
  long rounds = count > 1 ? atol(arguments[1]) : 100000, early[2] = {0};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, look, &early[i]);
  for (long round = 1; round <= rounds; round++) {
    pthread_mutex_lock(&lock);
    if (atomic_load_explicit(&said, memory_order_relaxed) < round) {
      for (int i = 0; i < FIGURES; i++)
        atomic_store_explicit(&figures[i], round, memory_order_relaxed);
      atomic_store_explicit(&said, round, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
  }
  atomic_store(&is_over, 1);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("early %ld\n", early[0] + early[1]);
  return 0;
}
