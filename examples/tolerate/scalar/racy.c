/*
 * ToleRace, section 4.4.3: a number is raised step by step under the lock, and set by others without it.
 * Race: `number`, as in R w W.
 */
#include "../intruders.h"

#define STEPS 20

static volatile int number;

static int enter(void) {
  pthread_mutex_lock(&lock);
  int before = number;
  for (int step = 0; step < STEPS; step++)
    number++;
  linger();
  int is_torn = number != before + STEPS;
  pthread_mutex_unlock(&lock);
  return is_torn;
}

static void intrude(int id) {
  number = id;
}
