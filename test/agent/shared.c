/* What two threads share, by name; and stacks, which they use one after the other and do not share. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
  pthread_t worker; /* nobody else's business */
  int data;
  atomic_int *ready;
};

int counter;
int only_read = 7;
int raced[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Through a pointer, which may lead anywhere. */
static void __attribute__((noinline)) fill(int *at) {
  for (int i = 0; i < 4; i++)
    at[i] = only_read + i;
}

static void *count(void *unused) {
  int local[4];
  fill(local);
  pthread_mutex_lock(&lock);
  counter += local[1];
  pthread_mutex_unlock(&lock);
  raced[0]++;
  return unused;
}

static void *take(void *argument) {
  struct job *job = argument;
  atomic_int *ready = job->ready;
  job->worker = pthread_self();
  while (!atomic_load_explicit(ready, memory_order_acquire))
    ;
  job->data++;
  return NULL;
}

static void join_one(void *(*start)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, start, argument);
  pthread_join(thread, NULL);
}

int main(void) {
  join_one(count, NULL);
  join_one(count, NULL);
  struct job *job = malloc(sizeof *job);
  job->ready = calloc(1, sizeof *job->ready);
  pthread_t thread;
  pthread_create(&thread, NULL, take, job);
  job->data = 41;
  atomic_store_explicit(job->ready, 1, memory_order_release);
  pthread_join(thread, NULL);
  return job->data == 42 ? 0 : 1;
}
