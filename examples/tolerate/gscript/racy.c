/*
 * ToleRace, figure 1: a script is looked at twice under the lock, and cleared by somebody else in between.
 * Race: `script`. Isolated, it is the same both times.
 */
#include "../intruders.h"

static const char usual[] = "usual", special[] = "special";
static const char *volatile script;

static int enter(void) {
  const char *base;
  pthread_mutex_lock(&lock);
  if (script == NULL) {
    linger();
    base = usual;
  } else {
    linger();
    base = script;
  }
  pthread_mutex_unlock(&lock);
  return base == NULL;
}

static void intrude(int id) {
  script = id % 2 == 0 ? special : usual;
  linger();
  script = NULL;
  linger();
}
