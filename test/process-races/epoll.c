/* The same with epoll, and with the end of the pipe instead of a byte in it. */
#include "race.h"
#include <sys/epoll.h>

static int waits;
static void write_and_end(void) {
  must(close(gate[0]));
  write_data();
}
static void wait_and_read(void) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77};
  must(close(gate[1]));
  int epoll = must(epoll_create1(0));
  must(epoll_ctl(epoll, EPOLL_CTL_ADD, gate[0], &event));
  if (!waits) read_data();
  must(epoll_wait(epoll, &event, 1, -1));
  if (waits) read_data();
}
static void run(void) {
  make_gate();
  pid_t reader = child(wait_and_read), writer = child(write_and_end);
  must(close(gate[0]));
  must(close(gate[1]));
  collect(reader);
  collect(writer);
}

static void racy(void) { run(); }
static void fixed(void) {
  waits = 1;
  run();
}
