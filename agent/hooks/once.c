/*
 * pthread_once and call_once: one thread runs the routine, the others pass when it has been run. The
 * real function is given a routine of our own, which takes no argument, so the thread remembers what
 * it is to run.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>

#include "../log.h"
#include "../real.h"
#include "../schedule.h"

DH_REAL(int, pthread_once, (pthread_once_t * once, void (*routine)(void)), (once, routine))
DH_REAL(void, call_once, (once_flag * once, void (*routine)(void)), (once, routine))

struct dh_once {
  struct dh_once *outer; /* a routine may itself call pthread_once */
  const void *object;
  void (*routine)(void);
  const void *caller;
  int ran;
  uint32_t turn;
};

static void run(void) {
  struct dh_once *once = dh_self.once;
  once->ran = 1;
  dh_sync(DH_OP_ONCE_BEGIN, once->object, 0, once->caller);
  dh_turn_done(once->turn, DH_OP_ONCE_BEGIN, once->object, once->caller);
  once->routine();
  uint32_t turn = dh_turn(DH_OP_ONCE_END, once->object, 0, once->caller);
  dh_sync(DH_OP_ONCE_END, once->object, 0, once->caller);
  dh_turn_done(turn, DH_OP_ONCE_END, once->object, once->caller);
}

static void begin(struct dh_once *once) {
  once->turn = dh_turn(DH_OP_ONCE_PASS, once->object, 0, once->caller);
  once->outer = dh_self.once;
  dh_self.once = once;
}

static void end(struct dh_once *once) {
  dh_self.once = once->outer;
  if (once->ran)
    return;
  dh_sync(DH_OP_ONCE_PASS, once->object, 0, once->caller);
  dh_turn_done(once->turn, DH_OP_ONCE_PASS, once->object, once->caller);
}

DH_HOOK int pthread_once(pthread_once_t *object, void (*routine)(void)) {
  if (!dh_on)
    return real_pthread_once(object, routine);
  struct dh_once once = {.object = object, .routine = routine, .caller = DH_CALLER};
  begin(&once);
  int result = real_pthread_once(object, run);
  end(&once);
  return result;
}

DH_HOOK void call_once(once_flag *object, void (*routine)(void)) {
  if (!dh_on) {
    real_call_once(object, routine);
    return;
  }
  struct dh_once once = {.object = object, .routine = routine, .caller = DH_CALLER};
  begin(&once);
  real_call_once(object, run);
  end(&once);
}
