#include "hooks.h"

void dh_hooks_prepare(void) {
  dh_fork_prepare();
  dh_memory_prepare();
  dh_thread_hooks_prepare();
}
