/* Threads that are cancelled: waiting, sleeping, reading, computing; with handlers and thread-specific data. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t ready;
static pthread_key_t key;
static int ends[2];

static void say(void *text) { printf("cleanup: %s\n", (char *)text); }
static void unlock(void *lock) {
  printf("unlock: %d\n", pthread_mutex_unlock(lock));
}
static void drop(void *value) { printf("drop: %s\n", (char *)value); }

__attribute__((noinline)) static void inner(const char *name, void (*wait)(void)) {
  pthread_cleanup_push(say, (void *)name);
  pthread_setspecific(key, name);
  sem_post(&ready);
  wait();
  pthread_cleanup_pop(0);
}

static void wait_for_condition(void) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  for (;;)
    pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
}
static void wait_asleep(void) {
  for (;;)
    sleep(1000);
}
static void wait_for_bytes(void) {
  char byte;
  if (read(ends[0], &byte, 1) != 1)
    puts("nothing");
}
static void compute(void) {
  for (volatile unsigned long i = 0;; i++)
    if (i % 1024 == 0)
      pthread_testcancel();
}
static void compute_on(void) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (volatile unsigned long i = 0;; i++)
    ;
}
static void leave(void) { pthread_exit("left"); }

struct way {
  const char *name;
  void (*wait)(void);
};
static const struct way ways[] = {
    {"condition", wait_for_condition}, {"asleep", wait_asleep},     {"bytes", wait_for_bytes},
    {"computing", compute},            {"at any place", compute_on}, {"by itself", leave},
};

static void *run(void *arg) {
  const struct way *way = arg;
  pthread_cleanup_push(say, "outer");
  inner(way->name, way->wait);
  pthread_cleanup_pop(1);
  return "returned";
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  sem_init(&ready, 0, 0);
  pthread_key_create(&key, drop);
  if (pipe(ends) != 0)
    return 1;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, (void *)&ways[i]);
    sem_wait(&ready);
    usleep(1000 * (i % 3));
    if (ways[i].wait != leave)
      pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s: %s\n", ways[i].name, result == PTHREAD_CANCELED ? "cancelled" : (char *)result);
  }
  printf("mutex is free: %d\n", pthread_mutex_trylock(&mutex));
  return 4;
}
