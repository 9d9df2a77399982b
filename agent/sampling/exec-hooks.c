/*
 * A sample that is due at the moment in which a program becomes another one would end that, since it has no handler for
 * our signal: the signal is ignored from right before. It stays so if the new one is not sampled; nobody else uses it.
 */
#define _GNU_SOURCE
#include "../exec-hooks.h"
#include "handler.h"
#include "thread.h"

static void before_exec(void) {
  if (dh_control != NULL)
    dh_handler_ignore();
}

static void exec_failed(void) {
  if (dh_control != NULL)
    dh_handler_prepare();
}
