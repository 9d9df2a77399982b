/*
 * ToleRace, section 4.4.3: the elements of an array are raised under the lock, and set by others without it.
 * Race: `numbers`, as in R w W.
 */
#include "../intruders.h"

#define COUNT 10
#define STEPS 5

static volatile int numbers[COUNT];

static int enter(void) {
  int before[COUNT];
  int is_torn = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < COUNT; i++)
    before[i] = numbers[i];
  for (int step = 0; step < STEPS; step++)
    for (int i = 0; i < COUNT; i++)
      numbers[i]++;
  linger();
  for (int i = 0; i < COUNT; i++)
    is_torn |= numbers[i] != before[i] + STEPS;
  pthread_mutex_unlock(&lock);
  return is_torn;
}

static void intrude(int id) {
  for (int i = 0; i < COUNT; i++)
    numbers[i] = id;
}
