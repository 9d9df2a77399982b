/*
 * Readers may share a lock, and nothing is in order between them; whoever writes under a shared
 * lock has not locked anything. The twin's writer locks for itself alone.
 */
#include "race.h"
#include <sys/file.h>

static int how = LOCK_EX;
static void read_locked(void) {
  int fd = must(open("lock", O_RDWR | O_CREAT, 0666));
  must(flock(fd, LOCK_SH));
  read_data();
}
static void write_locked(void) {
  int fd = must(open("lock", O_RDWR | O_CREAT, 0666));
  must(flock(fd, how));
  write_data();
}

static void racy(void) {
  how = LOCK_SH;
  both(read_locked, write_locked);
}
static void fixed(void) { both(read_locked, write_locked); }
