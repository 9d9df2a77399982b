/* Two processes append to one log; the twin's lock it. */
#include "race.h"
#include <sys/file.h>

static int locks;
static void append(void) {
  int fd = must(open("data", O_WRONLY | O_APPEND));
  if (locks) must(flock(fd, LOCK_EX));
  must(write(fd, "line\n", 5));
}

static void racy(void) { both(append, append); }
static void fixed(void) {
  locks = 1;
  racy();
}
