/* Two processes count in a file; the twin holds its lock meanwhile. */
#include "race.h"
#include <sys/file.h>

static int locks;
static void count(void) {
  int fd = must(open("lock", O_RDWR | O_CREAT, 0666));
  if (locks) must(flock(fd, LOCK_EX));
  read_data();
  write_data();
  if (locks) must(flock(fd, LOCK_UN));
}

static void racy(void) { both(count, count); }
static void fixed(void) {
  locks = 1;
  racy();
}
