/*
 * What all these programs do: one thread enters a critical section again and again, and counts how often it
 * finds there what it has not done itself; five others meddle without the lock, or with it in the fixed twin.
 *
 *   ./racy 1000000       torn 71234 of 1000000
 *   ./fixed 1000000      torn 0 of 1000000
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define INTRUDERS 5

__attribute__((unused)) static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_here;
static int is_over;

/* One critical section; 1 if it was torn. */
static int enter(void);
/* What another thread does meanwhile. */
static void intrude(int id);

/* Time for others to come between, also where there is but one processor. */
static inline void linger(void) {
  for (int i = 0; i < 1000; i++)
    __asm__ volatile("");
}

static void *intruder(void *argument) {
  int id = (int)(long)argument;
  pthread_barrier_wait(&all_here);
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
#ifdef TAKES_LOCK
    pthread_mutex_lock(&lock);
    intrude(id);
    pthread_mutex_unlock(&lock);
    sched_yield();
#else
    intrude(id);
#endif
  }
  return NULL;
}

int main(int count, char **arguments) {
  long entries = count > 1 ? atol(arguments[1]) : 1000000;
  long torn = 0;
  pthread_t threads[INTRUDERS];
  pthread_barrier_init(&all_here, NULL, INTRUDERS + 1);
  for (long id = 0; id < INTRUDERS; id++)
    pthread_create(&threads[id], NULL, intruder, (void *)(id + 1));
  pthread_barrier_wait(&all_here);
  for (long entry = 0; entry < entries; entry++)
    torn += enter();
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  for (int id = 0; id < INTRUDERS; id++)
    pthread_join(threads[id], NULL);
  printf("torn %ld of %ld\n", torn, entries);
  return 0;
}
