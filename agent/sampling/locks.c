#include "locks.h"

#include "../process.h"

/* Whoever took it goes on as if it had it: said once, as it makes all that is told of locks uncertain. */
static void say_foreign(void) {
  static int said;
  if (dh_control != NULL && !__atomic_load_n(&said, __ATOMIC_RELAXED) &&
      !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    dh_problem(DH_PROBLEM_FOREIGN_UNLOCK, dh_thread.number, 0, "");
}

/* One that is not there was taken by somebody else; or, if any did, it found no room. */
void dh_lock_remove_earlier(uintptr_t lock) {
  struct dh_sampled_thread *thread = &dh_thread;
  for (uint32_t i = thread->held; i-- > 0;) {
    if ((thread->locks[i] & ~(uintptr_t)DH_SHARED) != lock)
      continue;
    for (uint32_t next = i + 1; next < thread->held; next++)
      thread->locks[next - 1] = thread->locks[next];
    thread->held--;
    return;
  }
  if (thread->more > 0)
    thread->more--;
  else
    say_foreign();
}

int dh_is_inside(uintptr_t stack_pointer) {
  struct dh_sampled_thread *thread = &dh_thread;
  uintptr_t frame = thread->inside;
  if (frame == 0)
    return 0;
  int is_known = thread->stack != 0 && frame >= thread->stack;
  int was_left = is_known && stack_pointer > frame && stack_pointer <= thread->stack_end;
  if (was_left)
    thread->inside = thread->nested = 0;
  return !was_left;
}

void dh_lock_begin_again(uintptr_t here) {
  if (dh_is_inside(here))
    dh_thread.nested++;
  else
    dh_thread.inside = here;
}
