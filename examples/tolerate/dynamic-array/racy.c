/*
 * ToleRace, section 4.4.3: the elements of a table on the heap are raised under the lock, and set by others
 * without it. Race: what `rows` leads to, as in R w W.
 */
#include "../intruders.h"

#define SIZE 5
#define STEPS 5

static volatile int *rows[SIZE];

__attribute__((constructor)) static void make_rows(void) {
  for (int i = 0; i < SIZE; i++)
    rows[i] = calloc(SIZE, sizeof *rows[i]);
}

static int enter(void) {
  int before[SIZE][SIZE];
  int is_torn = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      before[i][j] = rows[i][j];
  for (int step = 0; step < STEPS; step++)
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        rows[i][j]++;
  linger();
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      is_torn |= rows[i][j] != before[i][j] + STEPS;
  pthread_mutex_unlock(&lock);
  return is_torn;
}

static void intrude(int id) {
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      rows[i][j] = id;
}
