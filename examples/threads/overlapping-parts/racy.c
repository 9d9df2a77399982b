/*
 * Each thread has its part of the array, so no lock is needed; but the parts overlap in one cell.
 *
 * Race: cells, line 23 with itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { CELLS = 16 };

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int cells[CELLS], done;

static void count(void) {
  pthread_mutex_lock(&counting);
  done++;
  pthread_mutex_unlock(&counting);
}

static void add(int from, int to) {
  for (int i = from; i < to; i++)
    cells[i] += i;
}

static void *lower_part(void *unused) {
  add(0, CELLS / 2 + 1); /* one too many */
  count();
  return unused;
}

static void *upper_part(void *unused) {
  usleep(30000);
  count();
  add(CELLS / 2, CELLS);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, lower_part, NULL);
  pthread_create(&threads[1], NULL, upper_part, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  printf("%d and %d, %d done\n", cells[CELLS / 2], cells[CELLS - 1], done);
  return 0;
}
