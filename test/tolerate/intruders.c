/*
 * One section, and all kinds of threads that change its variables meanwhile: without a lock, under another one, by
 * libc, and threads that come and go. One keeps to the lock, in a section that is not isolated; nobody may take
 * that one for an intruder. The argument is for how many milliseconds; with another one, nobody may look at it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static long plain, guarded, copied, passing;
static int done;

static int is_done(void) { return __atomic_load_n(&done, __ATOMIC_RELAXED); }

static __attribute__((noinline)) void meddle(long value) {
  *(volatile long *)&plain = value;
  __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void *meddler(void *nothing) {
  for (long n = 0; !is_done(); n++) {
    meddle(n);
    usleep(20);
  }
  return nothing;
}

static __attribute__((noinline)) void under_the_wrong_lock(long value) {
  pthread_mutex_lock(&wrong);
  guarded = value;
  pthread_mutex_unlock(&wrong);
}

static void *mistaken(void *nothing) {
  for (long n = 0; !is_done(); n++) {
    under_the_wrong_lock(n);
    usleep(20);
  }
  return nothing;
}

static __attribute__((noinline)) void copy_there(const long *value) {
  memcpy(&copied, value, sizeof copied);
  __asm__ volatile("" ::: "memory");
}

static void *copier(void *nothing) {
  for (long n = 0; !is_done(); n++) {
    copy_there(&n);
    usleep(20);
  }
  return nothing;
}

static __attribute__((noinline)) void *pass_by(void *value) {
  usleep(300);
  for (int i = 0; i < 200; i++)
    *(volatile long *)&passing = (long)value + i;
  return value;
}

static void *starter(void *nothing) {
  for (long n = 0; !is_done(); n++) {
    pthread_t thread;
    pthread_create(&thread, NULL, pass_by, (void *)n);
    pthread_join(thread, NULL);
  }
  return nothing;
}

/* setjmp keeps it from being isolated. */
static __attribute__((noinline)) void by_right(long value) {
  jmp_buf here;
  pthread_mutex_lock(&lock);
  if (setjmp(here) == 0) {
    *(volatile long *)&plain = value;
    *(volatile long *)&guarded = value;
    *(volatile long *)&copied = value;
    *(volatile long *)&passing = value;
  }
  pthread_mutex_unlock(&lock);
}

static void *rightful(void *nothing) {
  for (long n = 0; !is_done(); n++)
    by_right(n);
  return nothing;
}

static __attribute__((noinline)) long use_all(void) {
  long sum = 0;
  for (int i = 0; i < 2000; i++)
    sum += ++plain + ++guarded + ++copied + ++passing;
  return sum;
}

int main(int count, char **arguments) {
  void *(*const others[])(void *) = {meddler, mistaken, copier, starter, rightful};
  pthread_t threads[5];
  if (count > 2)
    prctl(PR_SET_DUMPABLE, 0);
  long milliseconds = count > 1 ? atol(arguments[1]) : 1000, sum = 0;
  for (int i = 0; i < 5; i++)
    pthread_create(&threads[i], NULL, others[i], NULL);
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    pthread_mutex_lock(&lock);
    sum += use_all();
    pthread_mutex_unlock(&lock);
    usleep(30);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < milliseconds);
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 5; i++)
    pthread_join(threads[i], NULL);
  printf("%s\n", sum == 0 ? "idle" : "done");
  return 0;
}
