/*
 * Under its lock, a thread waits for others who do not need it, and counts meanwhile: each way in which that can be
 * written is done on memory itself sooner or later.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int asked, answered;
static long turns, total;

static void *answer(void *unused) {
  for (int i = 1; i <= 4; i++) {
    while (atomic_load(&asked) < i)
      ;
    atomic_store_explicit(&answered, i, memory_order_release);
  }
  return unused;
}

static __attribute__((noinline)) int has_answered(int which) {
  return atomic_load_explicit(&answered, memory_order_acquire) >= which;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, answer, NULL);
  long own = 0;
  pthread_mutex_lock(&lock);
  total++;
  atomic_fetch_add(&asked, 1);
  while (atomic_load_explicit(&answered, memory_order_acquire) < 1)
    ;
  atomic_fetch_add(&asked, 1);
  while (atomic_load_explicit(&answered, memory_order_acquire) < 2)
    own++;
  atomic_fetch_add(&asked, 1);
  while (atomic_load_explicit(&answered, memory_order_acquire) < 3)
    turns++;
  atomic_fetch_add(&asked, 1);
  while (!has_answered(4))
    turns += own & 1;
  total++;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  printf("answered %d, total %ld\n", answered, total);
  return 0;
}
