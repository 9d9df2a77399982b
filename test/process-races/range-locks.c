/*
 * Two processes count in a file and lock bytes of it meanwhile, but not the same ones: that is no
 * lock. The twin's are the same.
 */
#include "race.h"

static int apart;
static void count_with(int from) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = 1};
  int fd = must(open("lock", O_RDWR | O_CREAT, 0666));
  must(fcntl(fd, F_SETLKW, &lock));
  read_data();
  write_data();
  lock.l_type = F_UNLCK;
  must(fcntl(fd, F_SETLK, &lock));
}
static void first(void) { count_with(0); }
static void second(void) { count_with(apart); }

static void racy(void) {
  apart = 1;
  both(first, second);
}
static void fixed(void) { both(first, second); }
