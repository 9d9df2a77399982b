/* The same, but the other looks at /proc/PID/status, which tells the user. */
#include "race.h"

static int leave[2];
static pid_t target;
static int announces;
static void give_up(void) {
  char byte;
  must(setresuid(-1, getuid() == 0 ? 65534 : getuid(), -1));
  if (announces) open_gate();
  must(close(leave[1]));
  must(read(leave[0], &byte, 1));
}
static void look(void) {
  char path[32], text[2048];
  must(close(leave[0]));
  if (announces) pass_gate();
  snprintf(path, sizeof path, "/proc/%d/status", target);
  int fd = must(open(path, O_RDONLY));
  must(read(fd, text, sizeof text));
}
static void run(void) {
  make_gate();
  must(pipe(leave));
  target = child(give_up);
  pid_t onlooker = child(look);
  must(close(leave[1]));
  collect(onlooker);
  collect(target);
}

static void racy(void) { run(); }
static void fixed(void) {
  announces = 1;
  run();
}
