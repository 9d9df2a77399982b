/*
 * All ways to become another program, for those who have something to do before: whoever includes this has
 * `before_exec()`, and `exec_failed()` for when it stays the same program after all; neither changes errno.
 */
#ifndef DH_EXEC_HOOKS_H
#define DH_EXEC_HOOKS_H

#include <stdarg.h>
#include <unistd.h>

#include "real.h"

static void before_exec(void);
static void exec_failed(void);

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

/* There is a result only if it has failed. */
#define BECOME(call)                                                                               \
  do {                                                                                             \
    before_exec();                                                                                 \
    int result = call;                                                                             \
    exec_failed();                                                                                 \
    return result;                                                                                 \
  } while (0)

DH_HOOK int execve(const char *path, char *const *arguments, char *const *environment) {
  BECOME(real_execve(path, arguments, environment));
}

DH_HOOK int execv(const char *path, char *const *arguments) {
  BECOME(real_execv(path, arguments));
}

DH_HOOK int execvp(const char *file, char *const *arguments) {
  BECOME(real_execvp(file, arguments));
}

DH_HOOK int execvpe(const char *file, char *const *arguments, char *const *environment) {
  BECOME(real_execvpe(file, arguments, environment));
}

DH_HOOK int fexecve(int fd, char *const *arguments, char *const *environment) {
  BECOME(real_fexecve(fd, arguments, environment));
}

DH_HOOK int execveat(int fd, const char *path, char *const *arguments, char *const *environment,
                     int flags) {
  BECOME(real_execveat(fd, path, arguments, environment, flags));
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
  BECOME(real_execv(path, arguments));
}

DH_HOOK int execlp(const char *file, const char *first, ...) {
  COLLECT(first, list)
  va_end(list);
  BECOME(real_execvp(file, arguments));
}

DH_HOOK int execle(const char *path, const char *first, ...) {
  COLLECT(first, list)
  char **environment = va_arg(list, char **);
  va_end(list);
  BECOME(real_execve(path, arguments, environment));
}

#endif
