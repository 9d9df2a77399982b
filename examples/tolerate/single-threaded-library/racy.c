/*
 * A library that was written for one thread: it has its text in a buffer of its own. Its users have come to take
 * a lock around it, all but one. Race: `length`, `text`.
 */
#include "../intruders.h"

/* The library. */
static char text[64];
static volatile int length;

__attribute__((noinline)) static void text_clear(void) {
  length = 0;
}

__attribute__((noinline)) static void text_add(const char *word) {
  for (; *word != 0 && length < (int)sizeof text - 1; word++) {
    text[length] = *word;
    length = length + 1;
  }
  text[length] = 0;
}

__attribute__((noinline)) static int text_is(const char *expected) {
  int i = 0;
  while (text[i] != 0 && text[i] == expected[i])
    i++;
  return text[i] == expected[i];
}

/* Its users. */
static int enter(void) {
  pthread_mutex_lock(&lock);
  text_clear();
  text_add("one, ");
  linger();
  text_add("two");
  int is_torn = !text_is("one, two");
  pthread_mutex_unlock(&lock);
  return is_torn;
}

static void intrude(int id) {
  text_clear();
  text_add(id % 2 == 0 ? "even" : "odd");
}
