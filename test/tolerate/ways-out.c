/*
 * Threads that keep to their locks, and leave sections in ways that no clone sees: by longjmp and pthread_exit out of
 * a function that was called by a pointer, and by cancellation while they wait. What is printed is the same whoever
 * comes first.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3 };
static int rounds = 300;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static long total, thrown, counted, nested, cancelled, ended, turns;

/* ---- longjmp out of a section, by way of a pointer ---- */

static __thread jmp_buf out;
static void jump_out(long n) {
  thrown++;
  if (n % 3 == 0)
    longjmp(out, 1);
}
static void (*volatile by_pointer)(long) = jump_out;

static __attribute__((noinline)) void section_that_is_left(long n) {
  pthread_mutex_lock(&lock);
  total += n;
  by_pointer(n);
  total += n;
  pthread_mutex_unlock(&lock);
}

/* Deeper in the stack than what was left. */
static __attribute__((noinline)) void sections_after(long n, int deeper) {
  volatile char room[256];
  room[0] = (char)n;
  if (deeper > 0) {
    sections_after(n, deeper - 1);
    return;
  }
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    counted += room[0] == (char)n;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&other);
    turns++;
    pthread_mutex_unlock(&other);
  }
}

static __attribute__((noinline)) void longjmps(long n) {
  if (setjmp(out) == 0)
    section_that_is_left(n);
  else
    pthread_mutex_unlock(&lock);
  sections_after(n, 4);
}

/* ---- a section within one, by way of a pointer ---- */

static void take_other(long n) {
  pthread_mutex_lock(&other);
  nested += n;
  pthread_mutex_unlock(&other);
}
static void (*volatile nested_by_pointer)(long) = take_other;

static __attribute__((noinline)) void nests(long n) {
  pthread_mutex_lock(&lock);
  total += 1;
  nested_by_pointer(n);
  total += 1;
  pthread_mutex_unlock(&lock);
}

/* ---- threads that end inside ---- */

static void let_go(void *which) {
  cancelled++;
  pthread_mutex_unlock(which);
}

static void *waits_for_ever(void *nothing) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(let_go, &lock);
  total++;
  for (;;)
    pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(1);
  return nothing;
}

static void end_thread(long n) {
  ended += n;
  pthread_mutex_unlock(&lock);
  pthread_exit(NULL);
}
static void (*volatile end_by_pointer)(long) = end_thread;

static void *ends_inside(void *nothing) {
  pthread_mutex_lock(&lock);
  total++;
  end_by_pointer(1);
  pthread_mutex_unlock(&lock);
  return nothing;
}

static void *work(void *nothing) {
  for (long n = 0; n < rounds; n++) {
    longjmps(n);
    nests(n);
    if (n % 50 == 0) {
      pthread_t threads[2];
      pthread_create(&threads[0], NULL, waits_for_ever, NULL);
      pthread_create(&threads[1], NULL, ends_inside, NULL);
      pthread_join(threads[1], NULL);
      pthread_cancel(threads[0]);
      pthread_join(threads[0], NULL);
    }
  }
  return nothing;
}

int main(int count, char **arguments) {
  if (count > 1)
    rounds = atoi(arguments[1]);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  printf("%ld %ld %ld %ld %ld %ld %ld\n", total - cancelled, thrown, counted, nested, turns, ended,
         cancelled > 0 ? 1L : 0L);
  return 0;
}
