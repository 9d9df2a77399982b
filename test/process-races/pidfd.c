/* A process learns of another's end by polling a pidfd, without being its parent. */
#include "race.h"
#include <poll.h>
#include <sys/syscall.h>

static pid_t writer;
static int waits;
static void poll_and_read(void) {
  struct pollfd end = {.fd = must(syscall(SYS_pidfd_open, writer, 0)), .events = POLLIN};
  open_gate();
  if (!waits) read_data();
  must(poll(&end, 1, -1));
  if (waits) read_data();
}
static void write_and_end(void) {
  pass_gate();
  write_data();
}

static void racy(void) {
  make_gate();
  writer = child(write_and_end);
  collect(child(poll_and_read));
  collect(writer);
}
static void fixed(void) {
  waits = 1;
  racy();
}
