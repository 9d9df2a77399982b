/*
 * A lock of the program's own: whoever exchanges a 0 for a 1 has it. Detectors that know only the lock
 * functions of the library see none.
 *
 * No race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int taken;
static int counter;

static void lock(void) {
  while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
    usleep(100);
}

static void unlock(void) { atomic_store_explicit(&taken, 0, memory_order_release); }

static void *count(void *unused) {
  for (int i = 0; i < 5; i++) {
    lock();
    counter++;
    unlock();
    usleep(1000);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("counter %d\n", counter);
  return 0;
}
