/*
 * One critical section in another, and a third that outlives the one around it: what a lock guards is as it was
 * left until that lock is let go of, even if another one is meanwhile. Race: `total`, `parts`.
 */
#include "../intruders.h"

static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long total, parts[2];

static int enter_nested(void) {
  pthread_mutex_lock(&lock);
  total = 30;
  pthread_mutex_lock(&parts_lock);
  parts[0] = 10;
  parts[1] = 20;
  linger();
  int is_torn = parts[0] + parts[1] != 30;
  pthread_mutex_unlock(&parts_lock);
  is_torn |= total != 30;
  pthread_mutex_unlock(&lock);
  return is_torn;
}

static int enter_overlapped(void) {
  pthread_mutex_lock(&lock);
  total = 50;
  int is_torn = total != 50;
  pthread_mutex_lock(&parts_lock);
  pthread_mutex_unlock(&lock);
  parts[0] = 20;
  parts[1] = 30;
  linger();
  is_torn |= parts[0] + parts[1] != 50;
  pthread_mutex_unlock(&parts_lock);
  return is_torn;
}

static int enter(void) {
  return enter_nested() | enter_overlapped();
}

static void intrude(int id) {
#ifdef TAKES_LOCK
  pthread_mutex_lock(&parts_lock);
#endif
  total = id;
  parts[id % 2] = id;
#ifdef TAKES_LOCK
  pthread_mutex_unlock(&parts_lock);
#endif
}
