/*
 * DH_SAMPLING_SIGNAL is ours. A program that handles or blocks it is told that it does, and nothing happens; one
 * that waits for all signals does not get it. Other signals are as they were, but that ours gets through while
 * they are handled: a program may leave its handler by longjmp, which leaves blocked what was.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "../real.h"
#include "thread.h"

/* What the program believes. */
static struct sigaction believed;

DH_REAL(int, sigaction, (int number, const struct sigaction *action, struct sigaction *old),
        (number, action, old))

static void leave_out(sigset_t *set) { ((uint64_t *)set)[0] &= ~(1ull << (DH_SAMPLING_SIGNAL - 1)); }

DH_HOOK int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
  if (dh_control == NULL)
    return real_sigaction(number, action, old);
  if (number == DH_SAMPLING_SIGNAL) {
    struct sigaction before = believed;
    if (action != NULL)
      believed = *action;
    if (old != NULL)
      *old = before;
    return 0;
  }
  if (action == NULL)
    return real_sigaction(number, action, old);
  struct sigaction changed = *action;
  leave_out(&changed.sa_mask);
  return real_sigaction(number, &changed, old);
}

#define SETS_HANDLER(name)                                                                         \
  DH_REAL(sighandler_t, name, (int number, sighandler_t handler), (number, handler))               \
  DH_HOOK sighandler_t name(int number, sighandler_t handler) {                                    \
    if (dh_control == NULL || number != DH_SAMPLING_SIGNAL)                                        \
      return real_##name(number, handler);                                                         \
    sighandler_t before = believed.sa_handler;                                                     \
    believed = (struct sigaction){.sa_handler = handler};                                          \
    return before;                                                                                 \
  }

SETS_HANDLER(signal)
SETS_HANDLER(bsd_signal)
SETS_HANDLER(ssignal)
SETS_HANDLER(sysv_signal)
SETS_HANDLER(__sysv_signal)
SETS_HANDLER(sigset)

#define CHANGES_MASK(name)                                                                         \
  DH_REAL(int, name, (int how, const sigset_t *set, sigset_t *old), (how, set, old))               \
  DH_HOOK int name(int how, const sigset_t *set, sigset_t *old) {                                  \
    if (dh_control == NULL || set == NULL || how == SIG_UNBLOCK)                                   \
      return real_##name(how, set, old);                                                           \
    sigset_t changed = *set;                                                                       \
    leave_out(&changed);                                                                           \
    return real_##name(how, &changed, old);                                                        \
  }

CHANGES_MASK(sigprocmask)
CHANGES_MASK(pthread_sigmask)

/* `set` is changed in a copy, if there is anything to change. */
#define WAITS_FOR(type, name, parameters, arguments)                                               \
  DH_REAL(type, name, parameters, arguments)                                                       \
  DH_HOOK type name parameters {                                                                   \
    sigset_t changed;                                                                              \
    if (dh_control != NULL) {                                                                        \
      changed = *set;                                                                              \
      leave_out(&changed);                                                                         \
      set = &changed;                                                                              \
    }                                                                                              \
    return real_##name arguments;                                                                  \
  }

WAITS_FOR(int, sigwait, (const sigset_t *set, int *number), (set, number))
WAITS_FOR(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
WAITS_FOR(int, sigtimedwait,
          (const sigset_t *set, siginfo_t *info, const struct timespec *timeout),
          (set, info, timeout))
WAITS_FOR(int, signalfd, (int fd, const sigset_t *set, int flags), (fd, set, flags))
