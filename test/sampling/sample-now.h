/* Has the agent take a sample of the calling thread, here: what it was sent for is done when this returns. */
#ifndef SAMPLE_NOW_H
#define SAMPLE_NOW_H

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../agent/deadheat.h"

static inline __attribute__((always_inline)) void sample_now(void) {
  siginfo_t info = {0};
  info.si_signo = DH_SAMPLING_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_value.sival_int = DH_SAMPLE_NOW_COOKIE;
  long process = getpid(), thread = syscall(SYS_gettid), result;
  register long info_at __asm__("r10") = (long)&info; /* after the calls, which may use it */
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_rt_tgsigqueueinfo), "D"(process), "S"(thread),
                     "d"((long)DH_SAMPLING_SIGNAL), "r"(info_at)
                   : "rcx", "r11", "memory");
}

#endif
