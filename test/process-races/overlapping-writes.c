/* Two processes write bytes 0-9 and 5-14 of one file; the twin's are 0-9 and 10-19. */
#include "race.h"

static int second_from = 5;
static void write_at(int from) {
  int fd = must(open("data", O_WRONLY));
  must(lseek(fd, from, SEEK_SET));
  must(write(fd, "0123456789", 10));
}
static void first(void) { write_at(0); }
static void second(void) { write_at(second_from); }

static void racy(void) { both(first, second); }
static void fixed(void) {
  second_from = 10;
  both(first, second);
}
