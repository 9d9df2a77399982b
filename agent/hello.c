/* A process gets its number, and says in the channel that it is there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>

#include "channel.h"
#include "process.h"
#include "syscalls.h"

void dh_process_hello(void) {
  static char path[PATH_MAX]; /* not on the stack, which may be small; nobody else is here */
  long length = DH_SYSCALL(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path);
  if (dh_failed(length))
    length = 0;
  struct dh_hello hello = {
      .record = {.kind = DH_KIND_HELLO},
      .pid = dh_process.pid,
      .protocol = DH_PROTOCOL,
      .process = dh_process.number,
      .parent_pid = (uint32_t)DH_SYSCALL(SYS_getppid, 0, 0, 0, 0),
      .parent_process = dh_process.parent_number,
      .path_length = (uint32_t)length,
  };
  dh_channel_append(&hello.record, sizeof hello, path, (size_t)length, NULL, 0);
}

void dh_process_number(void) {
  dh_process.number = dh_channel_new_process();
  dh_process.pid = (uint32_t)DH_SYSCALL(SYS_getpid, 0, 0, 0, 0);
  dh_process.threads = 1; /* the first thread: whoever starts first must not take its number */
}
