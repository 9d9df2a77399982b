/*
 * What the filter has to tell apart, for test/access-filter.test.ts: an argument says which part to run. Prints
 * where everything is. Orders that matter are waited for.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOW(name) printf(#name " 0x%lx\n", (unsigned long)&(name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long early, late, alone;

static void separate(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void in_thread(void *(*work)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
}

/* ---- private memory ---- */

static __attribute__((noinline)) void write_early(void) { early = 1; }
static __attribute__((noinline)) void write_late(void) { late = 1; }
static __attribute__((noinline)) void write_alone(void) { alone = 1; }

static void *read_both(void *nothing) {
  early += late;
  return nothing;
}

/* More than the log of a thread takes of memory that is its own: places in no order, so that no run is made. */
static void fill_log(void) {
  size_t count = 1 << 21;
  volatile long *many = malloc(count * sizeof *many);
  for (int round = 0; round < 8; round++) {
    separate();
    for (size_t i = 0, at = 1; i < count; i++, at = (at * 1664525 + 1013904223) % count)
      many[at] = (long)i;
  }
}

static void limit(void) {
  write_early();
  fill_log();
  separate();
  write_late();
  write_alone();
  in_thread(read_both);
  SHOW(early);
  SHOW(late);
  SHOW(alone);
}

/* ---- atomic accesses ---- */

static int counter, ready;
#define ADDITIONS 500

static void *add(void *nothing) {
  for (int i = 0; i < ADDITIONS; i++)
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  return nothing;
}

static void atomics(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("sum %d\n", counter);
  SHOW(counter);
}

static int waiting;

static void *wait_for_it(void *nothing) {
  __atomic_store_n(&waiting, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
    ;
  return nothing;
}

static void spin(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_it, NULL);
  while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
    sched_yield();
  /* Long enough for thousands of rounds. */
  usleep(100000);
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  SHOW(ready);
}

/* ---- memory that is given back ---- */

static long *volatile block;

static __attribute__((noinline)) void write_block(long *at) {
  for (int i = 0; i < 8; i++)
    ((volatile long *)at)[i] = i;
}

static void reuse(void) {
  long *first = malloc(8 * sizeof *first);
  write_block(first);
  unsigned long was = (unsigned long)first;
  free(first);
  long *second = malloc(8 * sizeof *second);
  write_block(second);
  block = second;
  printf("same %d\n", was == (unsigned long)second);
  printf("block 0x%lx\n", (unsigned long)second);
}

/* ---- processes ---- */

static void forks(void) {
  early = 1;
  SHOW(early);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    early = 2;
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    _exit(5);
  }
  int status;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
}

/* ---- calls through a pointer that is also used atomically ---- */

static void (*target)(void);

static void note_early(void) {
  separate();
  write_early();
}

static void note_late(void) {
  separate();
  write_late();
}

static void *replace(void *nothing) {
  __atomic_exchange_n(&target, note_late, __ATOMIC_SEQ_CST);
  return nothing;
}

static void calls(void) {
  __atomic_exchange_n(&target, note_early, __ATOMIC_SEQ_CST);
  target();
  in_thread(replace);
  target();
  printf("called %ld %ld\n", early, late);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } parts[] = {{"limit", limit}, {"atomics", atomics}, {"spin", spin},
               {"reuse", reuse}, {"forks", forks},     {"calls", calls}};
  for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
    if (strcmp(argv[1], parts[i].name) == 0)
      parts[i].run();
  return 0;
}
