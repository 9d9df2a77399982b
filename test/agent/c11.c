/* C11's threads.h: the same operations as those of pthreads. */
#define _GNU_SOURCE
#include <threads.h>
#include <time.h>

#include "named.h"

static mtx_t mutex, timed;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;
static int ready;

static void run_once(void) {}

static int other(void *unused) {
  call_once(&once, run_once);
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&condition);
  mtx_unlock(&mutex);
  (void)unused;
  thrd_exit(-5);
}

static int loose(void *unused) {
  (void)unused;
  return 0;
}

int main(void) {
  NAMED(mutex), NAMED(timed), NAMED(condition), NAMED(once);
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  MUST(mtx_init(&mutex, mtx_plain) == thrd_success && mtx_init(&timed, mtx_timed) == thrd_success);
  MUST(cnd_init(&condition) == thrd_success);
  call_once(&once, run_once);
  MUST(mtx_timedlock(&timed, &now) == thrd_success);
  MUST(mtx_trylock(&timed) == thrd_busy && mtx_timedlock(&timed, &now) == thrd_timedout);
  MUST(mtx_unlock(&timed) == thrd_success && mtx_trylock(&timed) == thrd_success);
  MUST(cnd_timedwait(&condition, &timed, &now) == thrd_timedout);
  MUST(mtx_unlock(&timed) == thrd_success);
  thrd_t thread;
  int result;
  mtx_lock(&mutex);
  MUST(thrd_create(&thread, other, NULL) == thrd_success);
  while (!ready)
    MUST(cnd_wait(&condition, &mutex) == thrd_success);
  mtx_unlock(&mutex);
  MUST(thrd_join(thread, &result) == thrd_success && result == -5);
  MUST(thrd_create(&thread, loose, NULL) == thrd_success && thrd_detach(thread) == thrd_success);
  cnd_broadcast(&condition);
  cnd_destroy(&condition);
  mtx_destroy(&mutex);
  return 0;
}
