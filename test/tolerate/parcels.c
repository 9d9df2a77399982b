/*
 * Handed over by way of an inner lock while an outer one is held for much longer: whoever takes a parcel writes to it
 * and gives its memory back to the kernel, for which nothing but the inner lock is needed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16 };
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
struct parcel {
  long content[4];
};
static struct parcel *parcel;
static long made, sum, rounds;

static __attribute__((noinline)) void hand_over(struct parcel *given) {
  pthread_mutex_lock(&outer);
  for (int i = 0; i < 4; i++)
    given->content[i] = made + i;
  pthread_mutex_lock(&inner);
  parcel = given;
  pthread_mutex_unlock(&inner);
  made++;
  /* Long enough for it to be taken. */
  for (volatile int i = 0; i < 200000; i++)
    ;
  made++;
  pthread_mutex_unlock(&outer);
}

static __attribute__((noinline)) struct parcel *taken(void) {
  pthread_mutex_lock(&inner);
  struct parcel *given = parcel;
  parcel = NULL;
  pthread_mutex_unlock(&inner);
  return given;
}

static void *take_all(void *nothing) {
  for (long n = 0; n < rounds; n++) {
    struct parcel *given;
    while ((given = taken()) == NULL)
      ;
    sum += given->content[0] + given->content[3];
    given->content[1] = -1;
    if (n % 2 == 0)
      munmap(given, SIZE);
  }
  return nothing;
}

int main(int count, char **arguments) {
  rounds = count > 1 ? atol(arguments[1]) : 300;
  pthread_t taker;
  pthread_create(&taker, NULL, take_all, NULL);
  for (long n = 0; n < rounds; n++) {
    hand_over(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (int is_taken = 0; !is_taken;) {
      pthread_mutex_lock(&inner);
      is_taken = parcel == NULL;
      pthread_mutex_unlock(&inner);
    }
  }
  pthread_join(taker, NULL);
  printf("made %ld, sum %ld\n", made, sum);
  return 0;
}
