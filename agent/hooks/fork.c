/*
 * Forks, and the last moments of a program. After vfork, parent and child share their memory, and
 * are one thread as far as the log is concerned.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "../real.h"
#include "../thread.h"
#include "hooks.h"

/* Registered before the program can: so it runs last before a fork, and first in the child. */
void dh_fork_prepare(void) {
  pthread_atfork(dh_drain_here, NULL, dh_process_forked);
}

DH_REAL(int, execve, (const char *path, char *const *arguments, char *const *environment),
        (path, arguments, environment))
DH_REAL(int, execv, (const char *path, char *const *arguments), (path, arguments))
DH_REAL(int, execvp, (const char *file, char *const *arguments), (file, arguments))
DH_REAL(int, execvpe, (const char *file, char *const *arguments, char *const *environment),
        (file, arguments, environment))
DH_REAL(int, fexecve, (int fd, char *const *arguments, char *const *environment),
        (fd, arguments, environment))
DH_REAL(int, execveat,
        (int fd, const char *path, char *const *arguments, char *const *environment, int flags),
        (fd, path, arguments, environment, flags))
DH_REAL(void, _exit, (int status), (status))
DH_REAL(void, quick_exit, (int status), (status))
DH_REAL(void, abort, (void), ())

DH_HOOK int execve(const char *path, char *const *arguments, char *const *environment) {
  dh_flush_here();
  return real_execve(path, arguments, environment);
}

DH_HOOK int execv(const char *path, char *const *arguments) {
  dh_flush_here();
  return real_execv(path, arguments);
}

DH_HOOK int execvp(const char *file, char *const *arguments) {
  dh_flush_here();
  return real_execvp(file, arguments);
}

DH_HOOK int execvpe(const char *file, char *const *arguments, char *const *environment) {
  dh_flush_here();
  return real_execvpe(file, arguments, environment);
}

DH_HOOK int fexecve(int fd, char *const *arguments, char *const *environment) {
  dh_flush_here();
  return real_fexecve(fd, arguments, environment);
}

DH_HOOK int execveat(int fd, const char *path, char *const *arguments, char *const *environment,
                     int flags) {
  dh_flush_here();
  return real_execveat(fd, path, arguments, environment, flags);
}

/* execl, execlp and execle have their arguments one by one: here they become an array. */
#define COLLECT(first, list)                                                                       \
  int count = 1;                                                                                   \
  va_list list;                                                                                    \
  va_start(list, first);                                                                           \
  for (; va_arg(list, char *) != NULL; count++)                                                    \
    ;                                                                                              \
  va_end(list);                                                                                    \
  char *arguments[count + 1];                                                                      \
  arguments[0] = (char *)first;                                                                    \
  va_start(list, first);                                                                           \
  for (int i = 1; i <= count; i++)                                                                 \
    arguments[i] = va_arg(list, char *);

DH_HOOK int execl(const char *path, const char *first, ...) {
  COLLECT(first, list)
  va_end(list);
  dh_flush_here();
  return real_execv(path, arguments);
}

DH_HOOK int execlp(const char *file, const char *first, ...) {
  COLLECT(first, list)
  va_end(list);
  dh_flush_here();
  return real_execvp(file, arguments);
}

DH_HOOK int execle(const char *path, const char *first, ...) {
  COLLECT(first, list)
  char **environment = va_arg(list, char **);
  va_end(list);
  dh_flush_here();
  return real_execve(path, arguments, environment);
}

DH_HOOK void _exit(int status) {
  dh_flush_here();
  real__exit(status);
  __builtin_unreachable();
}

DH_HOOK void _Exit(int status) {
  dh_flush_here();
  real__exit(status);
  __builtin_unreachable();
}

DH_HOOK void quick_exit(int status) {
  dh_flush_here();
  real_quick_exit(status);
  __builtin_unreachable();
}

DH_HOOK void abort(void) {
  dh_flush_here();
  real_abort();
  __builtin_unreachable();
}
