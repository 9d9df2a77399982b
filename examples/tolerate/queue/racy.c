/*
 * A queue with condition variables. A thread takes out what the section puts in, and both keep to the lock; but
 * others set the figure of how long it has been, without. Race: `longest`.
 */
#include "../intruders.h"

#define ROOM 8

static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER, has_items = PTHREAD_COND_INITIALIZER;
static long items[ROOM], put_count, taken_count;
static volatile long longest;
static pthread_t taker;

/* -1 is the last. */
static void *take_all(void *unused) {
  for (long expected = 0;; expected++) {
    pthread_mutex_lock(&lock);
    while (taken_count == put_count)
      pthread_cond_wait(&has_items, &lock);
    long item = items[taken_count++ % ROOM];
    pthread_cond_signal(&has_room);
    pthread_mutex_unlock(&lock);
    if (item == -1)
      return unused;
    if (item != expected) {
      fprintf(stderr, "got %ld instead of %ld\n", item, expected);
      abort();
    }
  }
}

static int put(long item) {
  pthread_mutex_lock(&lock);
  while (put_count - taken_count == ROOM)
    pthread_cond_wait(&has_room, &lock);
  items[put_count++ % ROOM] = item;
  longest = put_count - taken_count;
  linger();
  int is_torn = longest != put_count - taken_count;
  pthread_cond_signal(&has_items);
  pthread_mutex_unlock(&lock);
  return is_torn;
}

__attribute__((constructor)) static void start(void) {
  pthread_create(&taker, NULL, take_all, NULL);
}

__attribute__((destructor)) static void finish(void) {
  put(-1);
  pthread_join(taker, NULL);
}

static int enter(void) {
  static long next;
  return put(next++);
}

static void intrude(int id) {
  longest = id;
}
