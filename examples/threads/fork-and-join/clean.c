/*
 * Numbers go through three threads, none of which takes a lock: each is started when the one before it has
 * been joined.
 *
 * No race.
 */
#include <pthread.h>
#include <stdio.h>

static int numbers[4] = {1, 2, 3, 4}, sum;

static void *twice(void *unused) {
  for (int i = 0; i < 4; i++)
    numbers[i] *= 2;
  return unused;
}

static void *sum_up(void *unused) {
  for (int i = 0; i < 4; i++)
    sum += numbers[i];
  return unused;
}

static void run(void *(*job)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, job, NULL);
  pthread_join(thread, NULL);
}

static void *twice_and_sum(void *unused) {
  run(twice);
  run(sum_up);
  return unused;
}

int main(void) {
  run(twice_and_sum);
  printf("sum %d\n", sum);
  return 0;
}
