/* System calls with addresses and descriptors that mean nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void show(long result) { printf("%d %d\n", result < 0 ? -1 : 1, result < 0 ? errno : 0); }

int main(void) {
  show(syscall(SYS_open, -1L, 0));
  show(syscall(SYS_open, 0x8000000000000000UL, 0));
  show(syscall(SYS_rename, 0x4000000000000001UL, 8L));
  show(syscall(SYS_read, 0xffffffff00000000UL, 0L, 8L));
  show(syscall(SYS_openat, 0xffffff9cUL, "/etc/passwd", 0));
  show(syscall(SYS_openat, 0xffffffffffffff9cUL, "/etc/passwd", 0));
  return 0;
}
