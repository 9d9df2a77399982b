/*
 * Says which operations of a history the agent would log. Each line of the input is one, in the order of time:
 *
 *   sample 2 0      thread 2
 *   said 2 1        thread 2 lets others go on, by object 1
 *   heard 3 1       thread 3 goes on
 *
 * and for each there is a 1 in the output if it is logged, and else a 0. Threads are counted from 1, and those above
 * 4 are not followed; objects 1 and 2 have the same place.
 */
#include <stdio.h>
#include <string.h>

#define FOLLOWED 5
#include "../../agent/sampling/news.c"
#include "../../agent/sampling/sync.h"

#define THREADS 8

__thread struct dh_sampled_thread dh_thread;
struct dh_process dh_process;

static struct dh_sampled_thread threads_[THREADS];

static const void *object_of(int number) {
  uintptr_t first = 0x7f0000001000, at = first;
  if (number == 1)
    return (const void *)first;
  if (number > 2)
    return (const void *)(first + 64 * (uintptr_t)number);
  do
    at += 64;
  while (dh_news_place((const void *)at) != dh_news_place((const void *)first));
  return (const void *)at;
}

static int is_logged(const char *what, const void *object) {
  struct dh_news news = {0};
  if (strcmp(what, "sample") == 0) {
    dh_news_own(&dh_thread);
    return 1;
  }
  if (strcmp(what, "said") == 0 ? dh_has_said_all(object) : dh_has_heard_all(object))
    return 0;
  news = strcmp(what, "said") == 0 ? dh_news_said(&dh_thread, object) : dh_news_heard(&dh_thread, object);
  dh_news_end(news);
  return news.is_new;
}

int main(void) {
  char what[16];
  int thread, object;
  dh_process.threads = THREADS - 1;
  for (int i = 0; i < THREADS; i++) {
    threads_[i].number = (uint32_t)i;
    dh_news_own(&threads_[i]);
  }
  while (scanf("%15s %d %d", what, &thread, &object) == 3) {
    dh_thread = threads_[thread];
    putchar(is_logged(what, object_of(object)) ? '1' : '0');
    threads_[thread] = dh_thread;
  }
  putchar('\n');
  return 0;
}
