/* Whoever creates the lock file first does the work; the other gives up. The twin takes turns. */
#include "race.h"

static void try_lock(void) {
  int fd = open("lock", O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd >= 0) close(fd);
}

static void racy(void) { both(try_lock, try_lock); }
static void fixed(void) { in_turn(try_lock, try_lock); }
