/* The same with pwrite: bytes 0-9 and 5-14 collide, 0-9 and 10-19 do not. */
#include "race.h"

static int second_from = 5;
static void write_at(int from) {
  int fd = must(open("data", O_WRONLY));
  must(pwrite(fd, "0123456789", 10, from));
}
static void first(void) { write_at(0); }
static void second(void) { write_at(second_from); }

static void racy(void) { both(first, second); }
static void fixed(void) {
  second_from = 10;
  both(first, second);
}
